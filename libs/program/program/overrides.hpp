// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "program/toml_reader.hpp"

namespace weft::program {

/// Where an override put its value.
struct Override {
  std::string parent;  ///< the first word of its key: "run", "outlet"
  Section* section;    ///< its value is the last entry

  /// If its key is one of these, which exclude each other, takes the other ones out and returns true.
  bool exclude(std::initializer_list<std::string_view> keys) const;
};

/// Changes or adds one value of a case's document: "run.steps=100", "outlet.left.pressure=10 mmHg",
/// "inlet.0.velocity=0.2". Throws InputError if the text is no "key=value" or names an entry of a list that isn't
/// there; whether the key itself exists is checked by the case reader.
Override apply_override(Value& document, const std::string& text);

}  // namespace weft::program
