// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "flow/case/every.hpp"
#include "program/section_reader.hpp"

namespace weft::flow {

/// Key `every`: a time, or a whole number of steps; 0 is neither. Throws InputError.
Every read_every(const program::SectionReader& in);

}  // namespace weft::flow
