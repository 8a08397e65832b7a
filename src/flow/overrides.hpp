// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "flow/toml_reader.hpp"

namespace weft::flow {

/// Changes one value of a case's document: "run.steps=100", "outlet.left.pressure=10 mmHg", "inlet.0.velocity=0.2".
/// A key that excludes the one set (run.duration for run.steps) is taken out. Throws InputError if the text is no
/// "key=value" or names an opening that isn't there; whether the key itself exists is checked by the case reader.
void apply_override(Value& document, const std::string& text);

}  // namespace weft::flow
