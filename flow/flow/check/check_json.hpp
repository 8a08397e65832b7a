// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "flow/check/check.hpp"

namespace weft::flow {

/// Writes the results of a check as JSON: settings, sites, problems, and the range of the run time with the machine's
/// load. The file is written under a temporary name and renamed. Throws InputError if it can't be written.
void write_check_json(const std::filesystem::path& file, const Case& c, const Scaling& scaling,
                      const CheckNumbers& numbers);

}  // namespace weft::flow
