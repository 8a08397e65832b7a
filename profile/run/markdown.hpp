// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "run/gates.hpp"

namespace weft::run {

/// A summary in Markdown for a forge: what the tests say, a table of the regions, and the lines of the program that
/// wait, in a fold unless overlap was lost. `report` may be null.
std::string markdown_of(const std::vector<TestLine>& tests, const nlohmann::json& report);

}  // namespace weft::run
