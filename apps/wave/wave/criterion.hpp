// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "amr/hierarchy.hpp"
#include "weft/names.hpp"

namespace weft::wave {

/// A box that is refined at all times, up to a level.
struct FixedRegion {
  std::array<double, 3> low{}, high{};
  int level = 1;
};

/// Where the mesh is fine.
struct Refinement {
  enum class Criterion : std::uint8_t {
    none,      ///< only fixed regions
    gradient,  ///< the largest difference of u between the two neighbours along an axis, halved
    loehner,   ///< Loehner's estimate: second differences over first ones, 0 to 1 (Comput. Methods Appl. Mech. Eng. 61,
               ///< 1987)
  };
  static constexpr Names<Criterion> criterion_names{
      "criterion", {{Criterion::none, "none"}, {Criterion::gradient, "gradient"}, {Criterion::loehner, "loehner"}}};
  int levels = 0;  ///< that may be made above level 0
  Criterion criterion = Criterion::none;
  double threshold = 0.1;
  double floor = 1e-3;     ///< loehner: differences much below this are noise
  int buffer = 2;          ///< cells that a wave may travel before the next look
  std::int64_t every = 4;  ///< steps of level 0 between two looks; 0: only at the start
  std::vector<FixedRegion> regions{};
};

/// Which blocks have to be refined because of what is in this one: bits by amr::Direction::number(), bit 13 the block
/// itself, the others neighbours that a tagged cell is within `buffer` cells of. Reads u with face ghosts. Pure.
std::uint32_t tags_of(const amr::Hierarchy& hierarchy, const amr::BlockData& block, const Refinement& refinement);

/// The tree that the tags of all ranks ask for: the same on every rank. Collective.
amr::Tree wanted_tree(const amr::Hierarchy& hierarchy, const Refinement& refinement);

}  // namespace weft::wave
