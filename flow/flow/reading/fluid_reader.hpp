// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "flow/case/fluid.hpp"
#include "program/section_reader.hpp"

namespace weft::flow {

/// Reads section [fluid]. Throws InputError.
FluidCase read_fluid(const program::Value& section);

}  // namespace weft::flow
