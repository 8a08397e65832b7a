// SPDX-License-Identifier: BSD-3-Clause
#include "openings/find_openings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>

#include "weft/error.hpp"

namespace weft::openings {
namespace {

void refuse_contradictions(const VesselAnalysis& vessel, const RoleChoices& choices) {
  const auto refuse = [](std::size_t k, const char* one, const char* other) {
    throw InputError(
        fmt::format("Opening {} is named by {} and by {} (it can have only one role). Remove it from one of them.",
                    k + 1, one, other));
  };
  for (const auto k : choices.skip) {
    if (choices.inlet == k) refuse(k, "--skip", "--inlet");
    if (choices.outlets.contains(k)) refuse(k, "--skip", "--outlets");
  }
  if (choices.inlet && choices.outlets.contains(*choices.inlet)) refuse(*choices.inlet, "--inlet", "--outlets");
  if (choices.skip.size() >= vessel.openings.size() && !choices.skip.empty())
    throw InputError("--skip names every opening (a case needs an inlet and an outlet). Skip fewer openings.");
}

// 'i' for inlet, inflow, IN; 'o' for outlet and so on; 0 for any other name.
char kind_by_name(const std::string& name) {
  const auto begins_with = [&](std::string_view word) {
    return name.size() >= word.size() && std::equal(word.begin(), word.end(), name.begin(), [](char a, char b) {
             return a == std::tolower(static_cast<unsigned char>(b));
           });
  };
  return begins_with("in") ? 'i' : begins_with("out") ? 'o' : '\0';
}

}  // namespace

std::vector<Role> roles_of(const VesselAnalysis& vessel, const RoleChoices& choices) {
  refuse_contradictions(vessel, choices);
  std::vector<Role> roles(vessel.openings.size(), Role::outlet);
  for (const auto k : choices.skip) roles[k] = Role::closed;
  // The inlet of each part: the largest opening that is not a selected outlet.
  std::map<int, std::size_t> inlet_of;
  if (choices.inlet) inlet_of[vessel.openings[*choices.inlet].part] = *choices.inlet;
  // Named ones first, then those without a name, then those that are named outlets.
  for (const char first : {'i', '\0', 'o'})
    for (std::size_t k = 0; k < roles.size(); ++k)
      if (roles[k] != Role::closed && !choices.outlets.contains(k) && kind_by_name(vessel.openings[k].name) == first)
        inlet_of.try_emplace(vessel.openings[k].part, k);
  for (const auto& [part, k] : inlet_of) roles[k] = Role::inlet;
  for (std::size_t k = 0; k < roles.size() && !choices.inlet; ++k)
    if (roles[k] == Role::outlet && !choices.outlets.contains(k) && kind_by_name(vessel.openings[k].name) == 'i')
      roles[k] = Role::inlet;
  for (std::size_t k = 0; k < roles.size() && !choices.outlets.empty(); ++k)
    if (roles[k] == Role::outlet && !choices.outlets.contains(k)) roles[k] = Role::closed;
  for (const auto& [part, in] : inlet_of) {
    const bool flows = std::any_of(roles.begin(), roles.end(), [&, k = std::size_t{0}](Role role) mutable {
      return vessel.openings[k++].part == part && role == Role::outlet;
    });
    if (flows || inlet_of.size() == 1 || choices.inlet == in) continue;
    // A hole must be an opening: an outlet without an inlet has no flow.
    roles[in] = vessel.openings[in].kind == VesselOpening::Kind::hole ? Role::outlet : Role::closed;
  }
  for (std::size_t k = 0; k < roles.size(); ++k)
    if (roles[k] == Role::closed && vessel.openings[k].kind == VesselOpening::Kind::hole)
      throw InputError(
          fmt::format("Opening {} would stay closed, but the surface has a hole there (fluid would leak, so weft flow "
                      "refuses such a surface). Close the hole, or keep the opening.",
                      k + 1));
  return roles;
}

std::string name_in_case(const VesselAnalysis& vessel, const std::vector<Role>& roles, std::size_t opening) {
  const auto& own = vessel.openings.at(opening).name;
  auto name = name_in_case(roles, opening);
  if (roles.at(opening) == Role::closed) return name;
  if (!own.empty()) return own;
  const auto is_used = [&](const VesselOpening& o) { return o.name == name; };
  while (std::any_of(vessel.openings.begin(), vessel.openings.end(), is_used)) name += '_';
  return name;
}

std::string name_in_case(const std::vector<Role>& roles, std::size_t opening) {
  if (roles.at(opening) == Role::outlet) return fmt::format("outlet{}", opening + 1);
  if (roles[opening] == Role::closed) return "closed";
  const auto inlets = std::count(roles.begin(), roles.end(), Role::inlet);
  const auto first = std::find(roles.begin(), roles.end(), Role::inlet) - roles.begin();
  return inlets == 1 || static_cast<std::size_t>(first) == opening ? "inlet" : fmt::format("inlet{}", opening + 1);
}

}  // namespace weft::openings
