// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "flow/run/simulation.hpp"

namespace weft::flow {

/// Writes a run's result as JSON: settings, sites, speed, the monitors' last row, and the overlap. The file is written
/// under a temporary name and renamed. Throws InputError if it can't be written.
void write_result_json(const std::filesystem::path& file, const Case& c, const Vessel& vessel, const RunResult& result,
                       const Transport& transport);

}  // namespace weft::flow
