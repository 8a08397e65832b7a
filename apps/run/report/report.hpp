// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace weft::run {

/// What a run under libweft_advise.so says, from its JSON alone (docs/advise.md): for the terminal, in at most 25 lines
/// of at most 100 columns, and as one page of HTML that needs nothing else. Keys that are missing are left out.
std::string terminal_report(const nlohmann::json& run);
std::string html_report(const nlohmann::json& run);

}  // namespace weft::run
