// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace weft::view {

/// A file of web/, built into the program.
struct Asset {
  std::string_view path;  ///< "/main.js"
  std::string_view type;  ///< "text/javascript; charset=utf-8"
  std::string_view content;
};

/// nullptr if there is none. "/" is index.html.
const Asset* find_asset(std::string_view path);

}  // namespace weft::view
