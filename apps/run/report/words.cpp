// SPDX-License-Identifier: BSD-3-Clause
#include "report/words.hpp"

#include <fmt/format.h>

#include <cmath>

namespace weft::run {

std::string time_text(double seconds) {
  if (seconds >= 1) return fmt::format("{:.3g} s", seconds);
  if (seconds >= 1e-3) return fmt::format("{:.3g} ms", 1e3 * seconds);
  return fmt::format("{:.3g} us", 1e6 * seconds);
}

std::string share_text(double share) {
  const double percent = 100 * share;
  return percent >= 10                  ? fmt::format("{:.0f} %", percent)
         : percent >= 1 || percent == 0 ? fmt::format("{:.1f} %", percent)
                                        : fmt::format("{:.2g} %", percent);
}

std::string count_text(double count) {
  return std::abs(count - std::round(count)) < 0.05 ? fmt::format("{:.0f}", count) : fmt::format("{:.1f}", count);
}

std::string shortened(std::string_view text, std::size_t most) {
  std::string all;
  for (const char c : text) all += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  if (all.size() <= most) return all;
  const auto head = (most - 3) / 2, tail = most - 3 - head;
  return all.substr(0, head) + "..." + all.substr(all.size() - tail);
}

std::string escaped(std::string_view text) {
  std::string all;
  for (const char c : text) {
    switch (c) {
      case '&': all += "&amp;"; break;
      case '<': all += "&lt;"; break;
      case '>': all += "&gt;"; break;
      case '"': all += "&quot;"; break;
      case '\'': all += "&#39;"; break;
      default: all += static_cast<unsigned char>(c) < 0x20 && c != '\n' ? ' ' : c;
    }
  }
  return all;
}

}  // namespace weft::run
