// SPDX-License-Identifier: BSD-3-Clause
//
// Reads a case file into a Case. docs/flow.md describes the format for users.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "flow/case/case.hpp"
#include "program/overrides.hpp"

namespace weft::flow {

/// Reads a case file. Each override is "key=value" with a dotted key: "run.steps=100", "outlet.left.pressure=10",
/// "inlet.0.velocity=0.2" (openings by name or by number). The value is TOML, or else a plain string.
///
/// Of keys that exclude each other (run.duration and run.steps; an opening's velocity, flow, pressure, windkessel,
/// share and compartment) an override replaces the file's. Pure and not collective: every rank may call it, inside
/// weft::together(). Throws InputError with file, line, key, the mistake and the allowed values.
Case read_case(const std::filesystem::path& file, std::span<const std::string> overrides = {});
/// The same from a case file's document. `file` gives the case its name and the folder of relative paths.
Case read_case(const program::Value& document, const std::filesystem::path& file);
/// Removes the keys that the changed key excludes.
void remove_excluded(const program::Override& changed);

}  // namespace weft::flow
