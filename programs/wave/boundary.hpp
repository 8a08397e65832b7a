// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "amr/hierarchy.hpp"
#include "wave/kernels.hpp"
#include "weft/names.hpp"

namespace weft::wave {

/// The boundary condition at a face of the domain.
struct Boundary {
  enum class Kind : std::uint8_t {
    periodic,   ///< both faces of the axis
    fixed,      ///< Dirichlet: u = value
    free,       ///< Neumann: zero normal gradient
    radiating,  ///< Sommerfeld: waves from the middle of the domain leave it
  };
  static constexpr Names<Kind> kind_names{
      "boundary",
      {{Kind::periodic, "periodic"}, {Kind::fixed, "fixed"}, {Kind::free, "free"}, {Kind::radiating, "radiating"}}};
  Kind kind = Kind::periodic;
  double value = 0;  ///< fixed: u there; radiating: u far away
  bool operator==(const Boundary&) const = default;
};

/// -x, +x, -y, +y, -z, +z.
using Boundaries = std::array<Boundary, 6>;

/// Fills the ghosts of one block beyond the domain, after all its other ghosts: axis after axis, so that edges and
/// corners follow. Pure; blocks may be filled in any order.
///
/// fixed and free mirror the cells, odd and even. radiating sets the gradient across the face so that u_t + c du/dr + c
/// (u - far) / r = 0 for a wave from the middle of the domain: du/dn = -(n.r / r)(u_t / c + (u - far) / r)
/// (Sommerfeld's condition, first order; exact for a spherical wave from there, and nearly so for a plane one along the
/// normal). A Taylor step needs the same for all time derivatives, where u_t of the last one is A of the previous one.
class BoundaryFiller {
 public:
  BoundaryFiller(const amr::Domain& domain, const Boundaries& faces, double speed);

  /// u and v (first_field u), or p and q (first_field p).
  void fill(const amr::BlockData& block, Field first_field, const Operator& a) const;
  bool touches(const amr::BlockKey& key) const { return faces_of(key) != 0; }

 private:
  unsigned faces_of(const amr::BlockKey& key) const;
  template <class Rate>
  void fill_field(const amr::BlockData& block, Field f, unsigned faces, bool is_value, const Rate& rate) const;

  amr::Domain domain_;
  Boundaries faces_;
  double speed_;
};

}  // namespace weft::wave
