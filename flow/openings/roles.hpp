// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "openings/find_openings.hpp"

namespace weft::openings {

/// The role of an opening in the case.
enum class Role : std::uint8_t { inlet, outlet, closed };

/// The user's choices, by the numbers of the table minus one.
struct RoleChoices {
  std::optional<std::size_t> inlet = {};  ///< none: roles_of chooses
  std::set<std::size_t> skip = {};        ///< stay closed
  std::set<std::size_t> outlets = {};     ///< if not empty: all others except the inlet stay closed
};

/// The role of each opening. Of several separate vessels each has its own inlet, the largest opening that stays open,
/// or, if solids are named, the largest one whose name begins with "in". A vessel with less than two open openings has
/// no flow, and its opening stays closed (or is an outlet, if it is a hole). Throws InputError if an opening has two
/// roles, or if a closed one is a hole of the surface, which weft flow would refuse.
std::vector<Role> roles_of(const VesselAnalysis& vessel, const RoleChoices& choices);

/// The name in the case: that of the surface's solid, else "inlet", "outlet2"; the inlets of further vessels have their
/// numbers, too.
std::string name_in_case(const VesselAnalysis& vessel, const std::vector<Role>& roles, std::size_t opening);
/// The same for a surface without solids.
std::string name_in_case(const std::vector<Role>& roles, std::size_t opening);

}  // namespace weft::openings
