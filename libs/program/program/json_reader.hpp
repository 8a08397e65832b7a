// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "program/value.hpp"

namespace weft::program {

/// What is read of JSON that nobody vouches for.
struct JsonLimits {
  std::size_t longest = SIZE_MAX;  ///< bytes
  int deepest = 32;                ///< objects and lists within each other
};

/// The object in a text, as a Section whose values all stem from `where` ("the command"). Numbers are whole where they
/// are written so and fit 63 bits. Throws InputError if it is too long, too deep, has a key twice, or is no object.
Value parse_json(std::string_view text, const std::string& where, const JsonLimits& limits = {});

}  // namespace weft::program
