// SPDX-License-Identifier: BSD-3-Clause
#include "flow/summary/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace weft::flow::summary {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = group << 8 | (k + i < bytes.size() ? static_cast<std::uint8_t>(bytes[k + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i) out += k + i > bytes.size() ? '=' : letters[group >> (18 - 6 * i) & 63];
  }
  return out;
}

std::string digits(double value, int count) {
  if (!std::isfinite(value)) return "–";
  if (value == 0) return "0";
  const double size = std::abs(value);
  std::string text;
  if (size >= 1e7 || size < 1e-4) {
    text = fmt::format("{:.{}g}", size, count);
  } else {
    const int before = static_cast<int>(std::floor(std::log10(size))) + 1;
    text = fmt::format("{:.{}f}", size, std::max(0, count - before));
  }
  return (value < 0 ? "−" : "") + text;
}

std::string given(double value) { return (value < 0 ? "−" : "") + fmt::format("{:.4g}", std::abs(value)); }

std::string percent(double part, int count) { return std::isfinite(part) ? digits(100 * part, count) + " %" : "–"; }

std::string number(double in_si, const Unit& unit, int count) {
  if (!std::isfinite(in_si)) return "–";
  return fmt::format("<data value=\"{}\">{}</data>", in_si, digits(in_si / unit.si, count));
}

std::string with_unit(double in_si, const Unit& unit, int count) {
  return fmt::format("{}&nbsp;{}", number(in_si, unit, count), unit.name);
}

}  // namespace weft::flow::summary
