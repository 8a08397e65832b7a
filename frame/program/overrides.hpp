// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "program/toml_reader.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace program {

/// The place of an overridden value.
struct Override {
  std::string parent;  ///< the first word of its key: "run", "outlet"
  Section* section;    ///< its value is the last entry

  /// If its key is one of `keys`, which exclude each other, removes the other keys and returns true.
  bool exclude(std::initializer_list<std::string_view> keys) const;
};

/// Changes or adds one value of a case's document: "run.steps=100", "outlet.left.pressure=10 mmHg",
/// "inlet.0.velocity=0.2". Throws InputError if the text is not "key=value" or names a missing entry of a list. The
/// case reader checks whether the key itself exists.
Override apply_override(Value& document, const std::string& text);

/// The same with the words of the key ("outlet", "left", "pressure") and the value, whose `where` begins messages.
Override set_value(Value& document, const std::vector<std::string>& words, Value value);

}  // namespace program
}  // namespace weft
