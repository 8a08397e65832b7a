// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace weft::run {

/// What a run was like, from the JSON that libweft_advise leaves: at most 25
/// lines of at most 100 columns. Keys may be missing. Never throws for what the
/// JSON holds.
std::string terminal_report(const nlohmann::json& run);

/// The same and more as one page of HTML that needs no network and no script.
/// Names of places are escaped.
std::string html_report(const nlohmann::json& run);

}  // namespace weft::run
