// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "flow/case/case.hpp"
#include "program/section_reader.hpp"

namespace weft::flow {

/// Reads [[inlet]] and [[outlet]] of a case: inlets, then outlets, each in the file's order. `folder` is the case
/// file's. Throws InputError with file, line, key, the mistake and the allowed values.
std::vector<OpeningCase> read_openings(const program::SectionReader& document, const program::Value& root,
                                       const SurfaceCase& surface, const std::filesystem::path& folder);

/// Reads the key `name`: letters, digits, _ and - only. `of_what`, for messages: what it names, as "columns of a
/// table".
std::string read_name(const program::SectionReader& in, const std::string& fallback, std::string_view of_what);

}  // namespace weft::flow
