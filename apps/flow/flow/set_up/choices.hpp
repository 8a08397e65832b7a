// SPDX-License-Identifier: BSD-3-Clause
//
// What a person chooses for a vessel in the page of `weft flow --set-up`.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "program/value.hpp"

namespace weft::flow {

/// What becomes of an opening that was found, and what it prescribes.
struct OpeningChoice {
  enum class Use : std::uint8_t { wall, inlet, outlet };
  enum class Condition : std::uint8_t { flow, velocity, pressure, windkessel, share };

  Use use = Use::wall;
  std::string name;
  Condition condition = Condition::pressure;
  double value = 0;     ///< ml/s, m/s, mmHg, or of the inflow; of a pulse its mean
  std::string pulse{};  ///< the shape that a flow or velocity has over a beat; "": steady
  double resistance = 0, capacitance = 0, proximal = 0;  ///< of a windkessel: mmHg s/ml, ml/mmHg, mmHg s/ml
};

struct Choices {
  std::string title, file;  ///< of the case that is saved
  std::string unit = "mm";
  double cells = 12;  ///< sites over the narrowest lumen
  double duration_s = 1, period_s = 0.85, viscosity_mpas = 3.5;
  std::vector<OpeningChoice> openings{};  ///< of each opening that was found, in its order
};

/// Throws InputError: what is wrong, what is allowed.
Choices choices_of(const program::Value& object);
nlohmann::ordered_json json_of(const Choices& choices);

const char* name_of(OpeningChoice::Use use);
const char* name_of(OpeningChoice::Condition condition);

}  // namespace weft::flow
