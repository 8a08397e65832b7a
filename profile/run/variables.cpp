// SPDX-License-Identifier: BSD-3-Clause
#include "run/variables.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <sstream>

#include "weft/error.hpp"

namespace weft::run {

std::string appended(std::string_view before, const std::string& library) {
  if (before.find(library) != std::string_view::npos) return std::string(before);  // already set by an outer weft run
  return before.empty() ? library : fmt::format("{}:{}", before, library);
}

std::string own_preload(const std::string& library) {
  const char* before = std::getenv("LD_PRELOAD");
  return fmt::format("{}{}", preload, appended(before == nullptr ? "" : before, library));
}

std::string with_ours(const std::string& list, char separator, const Words& variables, const std::string& library,
                      std::string_view reader) {
  Words items;
  bool own = false;
  std::istringstream stream(list);
  for (std::string item; std::getline(stream, item, separator);) {
    const bool preloads = item.starts_with(preload);
    own = own || preloads;
    if (!item.empty()) items.push_back(preloads ? appended(item, library) : item);
  }
  Words ours = variables;
  if (!own) ours.push_back(own_preload(library));
  for (const auto& variable : ours)
    if (variable.find(separator) != std::string::npos)
      throw InputError(fmt::format("{} can't pass {} (it contains a {}). Use another folder or name.", reader, variable,
                                   separator == ',' ? "comma" : fmt::format("'{}'", separator)));
  items.insert(items.end(), ours.begin(), ours.end());
  return fmt::format("{}", fmt::join(items, std::string(1, separator)));
}

}  // namespace weft::run
