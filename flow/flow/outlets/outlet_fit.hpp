// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flow/case/case.hpp"

namespace weft::flow {

/// All tuned outlets as one windkessel in series with a resistance for the vessel. All outlets have the same time
/// constant, so their pressures are in phase. Flow and pressure are periodic.
struct LumpedOutlets {
  double resistance = 0, capacitance = 0, proximal = 0;  ///< `resistance` does not include `proximal`
  double vessel = 0;                                     ///< Pa s/m^3
  double behind = 0;                                     ///< Pa

  /// The pressures over a beat, for a flow in m^3/s at equally spaced times.
  struct Pressures {
    double mean = 0, lowest = 0, highest = 0;
    double first = 0;  ///< at the capacitor, at the beginning of the beat
    double pulse() const { return highest - lowest; }
  };
  Pressures over_beat(const std::vector<double>& flow, double period) const;
};

/// The flow through the tuned outlets over a beat, from the other openings' prescribed flows, m^3/s; one number without
/// a period.
std::vector<double> tuned_flow(const Case& c);

/// The capacitance for which the model has this pulse, within a factor of 1e4 of period / resistance.
double capacitance_for(LumpedOutlets model, const std::vector<double>& flow, double period, double pulse);

/// Sets the tuned outlets' resistances and capacitances from that model, with Poiseuille resistances along straight
/// lines for the vessel. Returns an error message if that is impossible, or nothing.
std::optional<std::string> fit_outlets(Case& c);

}  // namespace weft::flow
