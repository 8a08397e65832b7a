// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "amr/hierarchy.hpp"
#include "weft/names.hpp"

namespace weft::wave {

/// A box that is always refined, up to a level.
struct FixedRegion {
  std::array<double, 3> low{}, high{};
  int level = 1;
  bool operator==(const FixedRegion&) const = default;
};

/// The criterion of refinement.
struct Refinement {
  enum class Criterion : std::uint8_t {
    none,      ///< only fixed regions
    gradient,  ///< the largest difference of u between the two neighbours along an axis, halved
    loehner,   ///< Loehner's estimate: second differences over first ones, 0 to 1 (Comput. Methods Appl. Mech. Eng. 61,
               ///< 1987)
  };
  static constexpr Names<Criterion> criterion_names{
      "criterion", {{Criterion::none, "none"}, {Criterion::gradient, "gradient"}, {Criterion::loehner, "loehner"}}};
  int levels = 0;  ///< maximum number of levels above level 0
  Criterion criterion = Criterion::none;
  double threshold = 0.1;
  double floor = 1e-3;     ///< loehner: differences much below this are noise
  int buffer = 2;          ///< cells that a wave may travel before the next check
  std::int64_t every = 4;  ///< steps of level 0 between two checks; 0: only at the start
  std::vector<FixedRegion> regions{};
  bool operator==(const Refinement&) const = default;
};

/// The blocks that must be refined because of this block's values: bits by amr::Direction::number(), bit 13 the block
/// itself, the others neighbours within `buffer` cells of a tagged cell. Reads u with face ghosts. Pure.
std::uint32_t tags_of(const amr::Hierarchy& hierarchy, const amr::BlockData& block, const Refinement& refinement);

/// The tree required by the tags of all ranks: the same on every rank. Collective.
amr::Tree wanted_tree(const amr::Hierarchy& hierarchy, const Refinement& refinement);

}  // namespace weft::wave
