// SPDX-License-Identifier: BSD-3-Clause
//
// Sections [[extract]], [[section]] and [average] of a case.
#pragma once

#include <vector>

#include "flow/case/extract_case.hpp"
#include "program/section_reader.hpp"

namespace weft::flow {

/// Lists of sections that may be left out; throw InputError. Lengths of the case are in the surface's unit.
std::vector<ExtractCase> read_extracts(const program::SectionReader& document, double metres_per_unit);
std::vector<SectionCase> read_sections(const program::SectionReader& document, double metres_per_unit);
AverageCase read_average(const program::Value& section);
/// The quantities that a key lists.
std::vector<FieldQuantity> read_quantities(const program::SectionReader& in, std::vector<FieldQuantity> fallback);

}  // namespace weft::flow
