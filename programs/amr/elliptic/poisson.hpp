// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "amr/coarse_to_fine.hpp"
#include "amr/elliptic/from_parents.hpp"
#include "amr/hierarchy.hpp"
#include "amr/sibling_ghosts.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace amr {

/// Solves Lap phi = f on the blocks of a hierarchy. Faces are periodic where the domain is, elsewhere phi = 0; if all
/// are periodic, the means of f and phi are removed.
///
/// Second order: seven-point stencil on averages; at the edge of a level, its ghosts are interpolated from the coarser
/// one (fifth order), and coarse cells beneath fine ones are their mean. Fluxes on the two sides of a coarse-fine face
/// are not made equal: that costs exact conservation, not the order. So on refined periodic meshes the discrete
/// equation is solvable only up to a constant of the size of the discretisation error, which is removed from the
/// residual.
///
/// Multigrid in full approximation storage over all levels (A. Brandt, Math. Comput. 31, 1977; composite grids: S.
/// McCormick, Multilevel Adaptive Methods, SIAM 1989), with red-black Gauss-Seidel, so the result is bitwise identical
/// on any number of ranks. Below level 0 there are more levels, as long as the number of blocks can be halved along
/// each axis; the lowest is solved by successive over-relaxation. It has its own hierarchy: 4 numbers per cell.
///
/// Borrowed: the transport of the hierarchy. A Poisson object is for one tree; create a new one after a regrid.
/// Construction, destruction and solve() are collective. Not thread-safe.
class Poisson {
 public:
  struct Result {
    int cycles = 0;
    double first = 0, last = 0;  ///< largest residual of any cell before and after
  };

  explicit Poisson(const Hierarchy& of, const TrafficMaker& traffic = {});

  /// f and phi: the blocks are those of the given hierarchy, on level `level() + its level`, in its order of blocks.
  enum Field : int { phi, f, work, old };
  const Hierarchy& hierarchy() const { return h_; }
  /// The number of levels beneath the given hierarchy's level 0.
  int beneath() const { return beneath_; }
  std::span<const BlockData> local(int level) const { return h_.local(level + beneath_); }

  /// V-cycles from the present phi, until the residual has fallen to `tolerance` times the largest |f|, or `most` of
  /// them.
  Result solve(double tolerance, int most);

 private:
  struct Level {
    std::unique_ptr<SiblingGhosts> phi, work;
    std::unique_ptr<CoarseToFine> from_coarse;
    std::unique_ptr<Restriction> restrict_phi, restrict_work;
    std::unique_ptr<FromParents> from_parents;
  };
  void cycle(int level);
  void relax(int level, int sweeps, double weight);
  void fill(int level, bool from_coarse);
  void fill_work(int level);
  void fill_outside(const BlockData& block, int field) const;
  void residual(int level);
  void restrict_level(int level, Restriction& restriction);
  void give_to_coarse(int level);
  double composite_residual();
  double mean(int level, int field) const;
  void remove_mean(int level, int field, double value);
  bool is_singular() const { return h_.domain().periodic[0] && h_.domain().periodic[1] && h_.domain().periodic[2]; }
  unsigned faces_of(const BlockKey& key) const;

  int beneath_ = 0;
  Hierarchy h_;
  std::vector<Level> levels_;
  std::vector<std::vector<std::vector<double>>> rhs_;  // the given f, level by level, block by block
};

}  // namespace amr
}  // namespace weft
