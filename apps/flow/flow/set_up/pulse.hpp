// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::flow {

/// The shape of a flow over one beat, for who has none of a patient.
struct Pulse {
  std::string_view name, words;  ///< "carotid", "carotid: forward flow in diastole"
  std::vector<std::array<double, 2>>
      points;  ///< time over the period, flow over its mean; linear between, the last as the first

  double highest() const;
};

std::span<const Pulse> pulses();
/// None: nullptr.
const Pulse* find_pulse(std::string_view name);

}  // namespace weft::flow
