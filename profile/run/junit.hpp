// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "run/gates.hpp"

namespace weft::run {

/// The tests as JUnit's XML, a test case each (one, of the whole program, if there are none). A lost overlap
/// is a failure, an unknown one and a failed launcher are errors. `report` may be null.
std::string junit_of(const std::vector<TestLine>& tests, const nlohmann::json& report);

}  // namespace weft::run
