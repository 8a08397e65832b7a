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

/// What an opening is in the case.
enum class Role : std::uint8_t { inlet, outlet, closed };

/// What was asked for, by the numbers of the table, less one.
struct RoleChoices {
  std::optional<std::size_t> inlet = {};  ///< none: the largest that stays open
  std::set<std::size_t> skip = {};        ///< stay closed
  std::set<std::size_t> outlets = {};     ///< if there are any: all others but the inlet stay closed
};

/// What each opening becomes. Of several vessels side by side each has an inlet of its own, the largest that stays
/// open; one with less than two open ones lets nothing through, and its opening stays closed
/// (or is an outlet, if it is a hole).
/// Throws InputError if an opening is asked to be two things, or one that stays closed is a hole of the surface, which
/// weft flow would not take.
std::vector<Role> roles_of(const VesselAnalysis& vessel, const RoleChoices& choices);

/// As the case names it: "inlet", "outlet2"; the inlets of further vessels have their numbers, too.
std::string name_in_case(const std::vector<Role>& roles, std::size_t opening);

}  // namespace weft::openings
