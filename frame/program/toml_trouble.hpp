// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weft::program {

struct TomlTrouble {
  std::size_t at = std::string_view::npos;  ///< npos: no problem
  std::string_view what{};                  ///< what is wrong, and what to do about it
};

/// Finds input that toml++ (3.3) can't handle, in one pass. toml++ creates and destroys nested values by recursion, and
/// creates one section per part of a key (a.b.c): about 100 kB of them overflow the stack. Where a blank is allowed, it
/// tests letters such as U+02CA in a function that can reach its end without a return value, so a letter there must be
/// ASCII.
TomlTrouble find_toml_trouble(std::string_view text);

}  // namespace weft::program
