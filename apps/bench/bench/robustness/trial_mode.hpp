// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "openings/find_openings.hpp"
#include "phantom/made_vessel.hpp"

namespace weft::bench {

/// What stands at a vessel's openings: the proposals of `weft openings`, and what a user may put in their place.
struct TrialMode {
  enum class Ends : std::uint8_t {
    murray,      ///< a flow in; shares by Murray's law, the largest outlet a pressure
    pressure,    ///< a flow in; a pressure at each outlet
    windkessel,  ///< a flow in; windkessels
    flows,       ///< a flow at every opening but one, which has a pressure
    pressures,   ///< a pressure at every opening
  };
  std::string name;
  Ends ends = Ends::murray;
  bool pulse = false;
};

/// All ten: each of the ends, steady and pulsed.
const std::vector<TrialMode>& trial_modes();
/// Throws InputError that lists the names.
const TrialMode& trial_mode(std::string_view name);

/// What `weft openings` finds on a vessel's surface, in metres.
openings::VesselAnalysis analyse(const phantom::MadeVessel& vessel);

/// The case (TOML) of `weft openings --flow Q [--pulse] [--outlets KIND]` for the vessel, whose highest Reynolds number
/// is that of a steady flow or of a beat's peak, and which lies beside it as vessel.stl (mm).
std::string mode_case(const phantom::MadeVessel& vessel, const openings::VesselAnalysis& found, const TrialMode& mode);

}  // namespace weft::bench
