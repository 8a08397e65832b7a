// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "flow/case/every.hpp"
#include "program/section_reader.hpp"

namespace weft::flow {

/// Reads the key `every`: a time, or a whole number of steps; 0: not given. Throws InputError.
Every read_every(const program::SectionReader& in);

}  // namespace weft::flow
