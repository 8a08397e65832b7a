// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/case/extract_case.hpp"
#include "flow/case/fluid.hpp"
#include "program/section_reader.hpp"

namespace weft::flow {

/// Reads section [fluid]. Throws InputError.
FluidCase read_fluid(const program::Value& section);

/// Reads [[inlet]] and [[outlet]] of a case: inlets, then outlets, each in the file's order. `folder` is the case
/// file's. Throws InputError with file, line, key, the mistake and the allowed values.
std::vector<OpeningCase> read_openings(const program::SectionReader& document, const program::Value& root,
                                       const SurfaceCase& surface, const std::filesystem::path& folder);

/// Reads the key `name`: letters, digits, _ and - only. `of_what`, for messages: what it names, as "columns of a
/// table".
std::string read_name(const program::SectionReader& in, const std::string& fallback, std::string_view of_what);

/// Reads [[compartment]] and [[connection]] of a case; empty if there are none. Throws InputError with file, line, key,
/// the mistake and the allowed values.
CirculationCase read_circulation(const program::SectionReader& document);

/// Gives the openings that name a compartment its number and its initial pressure, and estimates their flows
/// (expect_flows). Throws InputError if a named compartment does not exist, or if no opening names one.
void join_circulation(const program::SectionReader& document, Case& c);

/// Reads [tune] of a case whose openings are read, and gives the tuned outlets the windkessels that fit_outlets()
/// finds. Does nothing without [tune]. Throws InputError with file, line, key, the mistake and the allowed values.
void read_tune(const program::SectionReader& document, Case& c);

/// Reads the key `every`: a time, or a whole number of steps; 0: not given. Throws InputError.
Every read_every(const program::SectionReader& in);

/// Read the sections [[extract]], [[section]] and [average]; lengths in the case are in the surface's unit. Throw
/// InputError.
std::vector<ExtractCase> read_extracts(const program::SectionReader& document, double metres_per_unit);
std::vector<SectionCase> read_sections(const program::SectionReader& document, double metres_per_unit);
AverageCase read_average(const program::Value& section);
/// Reads the list of quantities under the key `quantities`; `fallback` if it is missing. Throws InputError.
std::vector<FieldQuantity> read_quantities(const program::SectionReader& in, std::vector<FieldQuantity> fallback);

}  // namespace weft::flow
