// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "flow/case/case.hpp"
#include "program/section_reader.hpp"

namespace weft::flow {

/// Reads [[compartment]] and [[connection]] of a case; empty if there are none. Throws InputError with file, line, key,
/// the mistake and the allowed values.
CirculationCase read_circulation(const program::SectionReader& document);

/// Gives the openings that name a compartment its number and its initial pressure, and estimates their flows
/// (expect_flows). Throws InputError if a named compartment does not exist, or if no opening names one.
void join_circulation(const program::SectionReader& document, Case& c);

}  // namespace weft::flow
