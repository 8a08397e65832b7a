// SPDX-License-Identifier: BSD-3-Clause
#include "advise/settings.hpp"

#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "weft/error.hpp"

namespace weft::advise {
namespace {

[[noreturn]] void refuse(const char* name, const char* value, const std::string& allowed) {
  throw InputError(std::string(name) + " is '" + value + "'. Set it to " + allowed + ".", true);
}

bool choice(const char* name, const char* yes, const char* no, bool otherwise) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return otherwise;
  if (std::strcmp(value, yes) == 0) return true;
  if (std::strcmp(value, no) == 0) return false;
  refuse(name, value, std::string("'") + yes + "' or '" + no + "'");
}

std::size_t count(const char* name, std::size_t least, std::size_t most, std::size_t otherwise) {
  const char* value = std::getenv(name);
  if (value == nullptr || *value == '\0') return otherwise;
  std::size_t number = 0;
  const char* end = value + std::strlen(value);
  const auto [rest, error] = std::from_chars(value, end, number);
  if (error != std::errc() || rest != end || number < least || number > most)
    refuse(name, value, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
  return number;
}

std::string text(const char* name, const char* otherwise) {
  const char* value = std::getenv(name);
  return value == nullptr || *value == '\0' ? otherwise : value;
}

}  // namespace

Settings Settings::from_environment(const std::string& folder) {
  Settings s;
  choice("WEFT_ADVISE", "on", "off", true);  // checks the value; with "off" this code is not reached
  s.thread = choice("WEFT_PROGRESS", "thread", "passive", s.thread);
  s.table = choice("WEFT_ADVISE_TABLE", "on", "off", s.table);
  s.live = choice("WEFT_ADVISE_LIVE", "on", "off", s.live);
  s.numbered = choice("WEFT_ADVISE_NUMBERED", "on", "off", s.numbered);
  s.lines = choice("WEFT_ADVISE_LINES", "on", "off", s.lines);
  s.events = count("WEFT_ADVISE_EVENTS", 1024, std::size_t{1} << 26, s.events);
  s.trace = count("WEFT_ADVISE_TRACE", 0, 100'000'000, s.trace);
  s.deadline = count("WEFT_ADVISE_DEADLINE", 1, 86400, s.deadline);
  const auto out = text("WEFT_ADVISE_OUT", "");
  s.out_asked = !out.empty();
  s.out = (std::filesystem::path(folder) / (out.empty() ? s.out : out)).string();
  s.step = text("WEFT_ADVISE_STEP", "");
  return s;
}

}  // namespace weft::advise
