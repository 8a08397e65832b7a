// SPDX-License-Identifier: BSD-3-Clause
//
// Reads the sections [[extract]], [[section]] and [average] of a case.
#pragma once

#include <vector>

#include "flow/case/extract_case.hpp"
#include "program/section_reader.hpp"

namespace weft::flow {

/// Read optional lists of sections; lengths in the case are in the surface's unit. Throw InputError.
std::vector<ExtractCase> read_extracts(const program::SectionReader& document, double metres_per_unit);
std::vector<SectionCase> read_sections(const program::SectionReader& document, double metres_per_unit);
AverageCase read_average(const program::Value& section);
/// Reads the list of quantities under the key `quantities`; `fallback` if it is missing. Throws InputError.
std::vector<FieldQuantity> read_quantities(const program::SectionReader& in, std::vector<FieldQuantity> fallback);

}  // namespace weft::flow
