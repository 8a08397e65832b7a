// SPDX-License-Identifier: BSD-3-Clause
//
// The user's choices for a vessel in the page of `weft flow --set-up`.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "program/value.hpp"

namespace weft::flow {

/// The use of a found opening, and its boundary condition.
struct OpeningChoice {
  enum class Use : std::uint8_t { wall, inlet, outlet };
  enum class Condition : std::uint8_t { flow, velocity, pressure, windkessel, share };

  Use use = Use::wall;
  std::string name;
  Condition condition = Condition::pressure;
  double value = 0;     ///< ml/s, m/s, mmHg, or fraction of the inflow; with a pulse the mean
  std::string pulse{};  ///< waveform of a flow or velocity over a beat; "": steady
  double resistance = 0, capacitance = 0, proximal = 0;  ///< windkessel: mmHg s/ml, ml/mmHg, mmHg s/ml
};

struct Choices {
  std::string title, file;  ///< of the saved case
  std::string unit = "mm";
  double cells = 12;  ///< sites across the narrowest lumen
  double duration_s = 1, period_s = 0.85, viscosity_mpas = 3.5;
  std::vector<OpeningChoice> openings{};  ///< for each found opening, in the same order
};

/// Reads choices. Throws InputError with the mistake and the allowed values.
Choices choices_of(const program::Value& object);
nlohmann::ordered_json json_of(const Choices& choices);

const char* name_of(OpeningChoice::Use use);
const char* name_of(OpeningChoice::Condition condition);

}  // namespace weft::flow
