// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "flow/case/case.hpp"
#include "program/section_reader.hpp"

namespace weft::flow {

/// [[compartment]] and [[connection]] of a case; empty if there are none. Throws InputError: file, line, key, what is
/// wrong and what is allowed.
CirculationCase read_circulation(const program::SectionReader& document);

/// Lets the openings that name a compartment begin at its pressure, and looks whether all of them and all connections
/// fit together.
void join_circulation(const program::SectionReader& document, Case& c);

}  // namespace weft::flow
