// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "amr/hierarchy.hpp"

namespace weft::wave {

/// The fields of a block, in the hierarchy's order: the state and its second time derivatives.
///
/// u_t = v, v_t = c^2 Lap u. With the discrete operator A = c^2 Lap, classical RK4 for this linear system is the Taylor
/// series
///
///     u + dt v + dt^2/2 p + dt^3/6 q + dt^4/24 A p,      p = A u (= u_tt),
///     v + dt p + dt^2/2 q + dt^3/6 A p + dt^4/24 A q,    q = A v (= v_tt).
///
/// So a step of four stages takes two sweeps over a block and two fillings of ghosts (u and v, then p and q) instead of
/// four of each, and no other arrays. (The four stages, in Nystroem's form: Hairer, Norsett, Wanner, Solving Ordinary
/// Differential Equations I, II.14; for a linear right-hand side they equal the series exactly.)
enum Field : int { u, v, p, q };
constexpr int fields = 4;

enum class Laplacian : unsigned char { second = 2, fourth = 4 };  ///< its order: 7 points, or 13 (two ghosts)

/// The largest c dt / h for which RK4 is stable: 2 sqrt(2) over the root of the operator's largest eigenvalue.
double stable_limit(Laplacian order);

/// A on one block. Cells contain averages: the stencils have constant coefficients, so they are equally accurate for
/// averages over cells and for values at cell centres, and restriction and prolongation treat averages exactly.
struct Operator {
  Laplacian order = Laplacian::fourth;
  double scale = 1;  ///< (c / h)^2

  /// The value at the cell to which `field` points.
  double at(const double* field, const amr::Shape& shape) const;
};

/// p = A u, q = A v on all inner cells; needs the face ghosts of u and v.
void first_sweep(const amr::BlockData& block, const Operator& a);
/// Advances u and v by a step dt; needs the face ghosts of p and q.
void second_sweep(const amr::BlockData& block, const Operator& a, double dt);

}  // namespace weft::wave
