// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "program/value.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace program {

/// Limits for JSON from an untrusted source.
struct JsonLimits {
  std::size_t longest = SIZE_MAX;  ///< bytes
  int deepest = 32;                ///< levels of nested objects and lists
};

/// The object in a text, as a Section whose values all have the origin `where` ("the command"). Numbers are whole where
/// they are written so and fit into 63 bits. Throws InputError if the text is too long, too deep, has a key twice, or
/// is not an object.
Value parse_json(std::string_view text, const std::string& where, const JsonLimits& limits = {});

}  // namespace program
}  // namespace weft
