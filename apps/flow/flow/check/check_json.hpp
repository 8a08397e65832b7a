// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "flow/check/check.hpp"

namespace weft::flow {

/// Writes what a check found for programs to read: settings, sites, problems, and the range of the run's time with the
/// machine's load. Written beside and renamed. Throws InputError if it can't be.
void write_check_json(const std::filesystem::path& file, const Case& c, const Scaling& scaling,
                      const CheckNumbers& numbers);

}  // namespace weft::flow
