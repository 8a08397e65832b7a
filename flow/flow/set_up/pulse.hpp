// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::flow {

/// A waveform of a flow over one beat, for users without patient data.
struct Pulse {
  std::string_view name, words;               ///< "carotid", "carotid: forward flow in diastole"
  std::vector<std::array<double, 2>> points;  ///< time / period, flow / mean; linear between points; last value = first

  double highest() const;
};

std::span<const Pulse> pulses();
/// The pulse of this name; nullptr if there is none.
const Pulse* find_pulse(std::string_view name);

}  // namespace weft::flow
