// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "openings/find_openings.hpp"
#include "phantom/made_vessel.hpp"

namespace weft::robustness {

/// The conditions at a vessel's openings: the proposals of `weft openings`, and alternatives that a user may choose.
struct TrialMode {
  enum class Ends : std::uint8_t {
    murray,      ///< flow at the inlet; shares by Murray's law, a pressure at the largest outlet
    pressure,    ///< flow at the inlet; a pressure at each outlet
    windkessel,  ///< flow at the inlet; windkessels at the outlets
    flows,       ///< a flow at every opening but one, which has a pressure
    pressures,   ///< a pressure at every opening
  };
  std::string name;
  Ends ends = Ends::murray;
  bool pulse = false;
};

/// All ten modes: each kind of conditions, steady and pulsed.
const std::vector<TrialMode>& trial_modes();
/// Throws an InputError that lists the names.
const TrialMode& trial_mode(std::string_view name);

/// The findings of `weft openings` on a vessel's surface, in metres.
openings::VesselAnalysis analyse(const phantom::MadeVessel& vessel);

/// The case (TOML) of `weft openings --flow Q [--pulse] [--outlets KIND]` for the vessel. The steady flow, or the peak
/// of a beat, has the vessel's highest Reynolds number. The surface is vessel.stl (mm) in the same folder.
std::string mode_case(const phantom::MadeVessel& vessel, const openings::VesselAnalysis& found, const TrialMode& mode);

}  // namespace weft::robustness
