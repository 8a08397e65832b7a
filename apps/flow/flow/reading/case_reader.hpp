// SPDX-License-Identifier: BSD-3-Clause
//
// Reads a case file into a Case. docs/flow.md describes the format for users.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "flow/case/case.hpp"

namespace weft::flow {

/// Reads a case file. Each override is "key=value" with a dotted key: "run.steps=100", "outlet.left.pressure=10",
/// "inlet.0.velocity=0.2" (openings by name or by number). The value is TOML, or else a plain string.
///
/// Of keys that exclude each other (run.duration and run.steps; an opening's velocity, flow, pressure, windkessel,
/// share and compartment) an override replaces the file's. Pure and not collective: every rank may call it, inside
/// weft::together(). Throws InputError with file, line, key, the mistake and the allowed values.
Case read_case(const std::filesystem::path& file, std::span<const std::string> overrides = {});

}  // namespace weft::flow
