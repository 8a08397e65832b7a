// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flow/case/case.hpp"

namespace weft::flow {

/// All tuned outlets as one windkessel, and a resistance before it for the vessel: since all have one time constant,
/// their pressures go up and down together. Its flow repeats, and so does its pressure.
struct LumpedOutlets {
  double resistance = 0, capacitance = 0, proximal = 0;  ///< the first without the proximal one
  double vessel = 0;                                     ///< Pa s/m^3
  double behind = 0;                                     ///< Pa

  /// What goes up and down over a beat of a flow (m^3/s, at times of equal distance).
  struct Pressures {
    double mean = 0, lowest = 0, highest = 0;
    double first = 0;  ///< at the capacitor, when the beat begins
    double pulse() const { return highest - lowest; }
  };
  Pressures over_beat(const std::vector<double>& flow, double period) const;
};

/// The flow through the tuned outlets over a beat, by what all others prescribe, m^3/s; one number where nothing
/// repeats.
std::vector<double> tuned_flow(const Case& c);

/// The capacitance with which the pulse is so large, within a factor of 1e4 of a beat over the resistance.
double capacitance_for(LumpedOutlets model, const std::vector<double>& flow, double period, double pulse);

/// Gives the tuned outlets resistances and capacitances by that model, with Poiseuille's resistances along straight
/// lines for the vessel. What keeps it from doing so, as a sentence, or nothing.
std::optional<std::string> fit_outlets(Case& c);

}  // namespace weft::flow
