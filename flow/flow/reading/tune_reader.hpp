// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "flow/case/case.hpp"
#include "program/section_reader.hpp"

namespace weft::flow {

/// Reads [tune] of a case whose openings are read, and gives the tuned outlets the windkessels that fit_outlets()
/// finds. Does nothing without [tune]. Throws InputError with file, line, key, the mistake and the allowed values.
void read_tune(const program::SectionReader& document, Case& c);

}  // namespace weft::flow
