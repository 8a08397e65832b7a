// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace weft::run {

/// The report of a run for the terminal, from the JSON of libweft_advise: at most 25 lines of at most 100 columns. Keys
/// may be missing. The content of the JSON never makes it throw.
std::string terminal_report(const nlohmann::json& run);

/// The full report as one HTML page that needs no network and no script. Names are escaped.
std::string html_report(const nlohmann::json& run);

}  // namespace weft::run
