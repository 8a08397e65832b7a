// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "flow/case/case.hpp"
#include "program/section_reader.hpp"

namespace weft::flow {

/// [tune] of a case whose openings are read, and what it makes of the outlets that it tunes: they get the windkessels
/// that fit_outlets() finds. Nothing without one. Throws InputError: file, line, key, what is wrong and what is
/// allowed.
void read_tune(const program::SectionReader& document, Case& c);

}  // namespace weft::flow
