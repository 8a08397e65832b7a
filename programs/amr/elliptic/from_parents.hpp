// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "amr/hierarchy.hpp"
#include "amr/traffic.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace amr {

/// Adds a field of the coarser level to a field of all blocks of a level, interpolated at their cells (trilinear; reads
/// one ghost cell of the coarse blocks, edges and corners too). The parent's owner interpolates. Construction is
/// collective.
class FromParents {
 public:
  FromParents(const Hierarchy& hierarchy, int fine_level, const TrafficMaker& traffic);

  /// Collective. The coarse field's ghosts must be filled.
  void add(int coarse_field, int fine_field);

 private:
  struct Child {
    std::size_t coarse_local;
    int octant;
    double* to;  // dense, x fastest
  };
  const Hierarchy* hierarchy_;
  int level_;
  std::unique_ptr<Traffic> traffic_;
  std::vector<double> received_, sent_;
  std::vector<Child> children_;
  std::vector<SendPart> sends_;
};

}  // namespace amr
}  // namespace weft
