// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <vector>

#include "flow/case.hpp"
#include "program/section_reader.hpp"

namespace weft::flow {

/// [[inlet]] and [[outlet]] of a case: inlets, then outlets, each in the file's order. `folder` is the case file's.
/// Throws InputError: file, line, key, what is wrong and what is allowed.
std::vector<OpeningCase> read_openings(const program::SectionReader& document, const program::Value& root,
                                       double metres_per_unit, const std::filesystem::path& folder);

}  // namespace weft::flow
