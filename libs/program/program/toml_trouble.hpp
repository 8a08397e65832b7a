// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weft::program {

struct TomlTrouble {
  std::size_t at = std::string_view::npos;  ///< npos: there is none
  std::string_view what{};                  ///< what is wrong, and what to do
};

/// Finds what toml++ (3.3) must not see, in one pass. It makes and destroys what is nested by recursion, and of keys
/// with many parts (a.b.c) it makes as many sections: some 100 kB of them would be more than the stack holds. Where a
/// blank may be, it asks of a letter like U+02CA whether it is one, and falls off the end of that function: so that has
/// to be ASCII.
TomlTrouble find_toml_trouble(std::string_view text);

}  // namespace weft::program
