// SPDX-License-Identifier: BSD-3-Clause
#include "run/report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <numeric>

#include "advise/short_names.hpp"

namespace weft::run {
namespace {

bool goes_on(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Number of bytes and code point of the first UTF-8 character; 0 if it is invalid.
std::size_t character(std::string_view text, std::uint32_t& code) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t bytes = first < 0x80 ? 1 : first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 ? 3 : 2;
  if ((first >= 0x80 && first < 0xc2) || first >= 0xf5 || text.size() < bytes) return 0;
  code = bytes == 1 ? first : first & (0x7fu >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if (!goes_on(text[i])) return 0;
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3fu);
  }
  const std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  return code < least[bytes] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff ? 0 : bytes;
}

bool is_unprintable(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xad || c == 0x61c || (c >= 0x200b && c <= 0x200f) ||
         (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c & 0xfffe) == 0xfffe;
}

// Characters that take two columns of a terminal.
bool is_wide(std::uint32_t c) {
  return (c >= 0x1100 && c < 0x1160) || (c >= 0x2e80 && c < 0xa4d0) || (c >= 0xac00 && c < 0xd7a4) ||
         (c >= 0xf900 && c < 0xfb00) || (c >= 0xfe30 && c < 0xfe70) || (c >= 0xff00 && c < 0xff61) ||
         (c >= 0x1f300 && c < 0x1fb00) || (c >= 0x20000 && c < 0x3fffe);
}

// Number of bytes at the front that fit into so many columns.
std::size_t front_of(std::string_view text, std::size_t columns) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint32_t code = 0;
    const auto bytes = std::max<std::size_t>(1, character(text.substr(at), code));
    const std::size_t wide = is_wide(code) ? 2 : 1;
    if (wide > columns) break;
    columns -= wide;
    at += bytes;
  }
  return at;
}

std::string three_digits(double x) { return fmt::format("{:.{}f}", x, x < 9.995 ? 2 : x < 99.95 ? 1 : 0); }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void without_suffix(std::string& name) {
  for (const auto* added : {" [clone ", ".constprop", ".isra", ".part.", ".cold", ".lto_priv"})
    if (const auto at = name.find(added); at != name.npos && at > 0) name.erase(at);
  const auto dot = name.rfind('.');
  if (dot != name.npos && dot > 0 && dot + 1 < name.size() &&
      std::all_of(name.begin() + static_cast<long>(dot) + 1, name.end(), is_digit))
    name.erase(dot);
}

// "6mpi4py_3MPI_4Comm_77Isend": lengths and names, and finally a serial number and a name.
std::string of_cython(std::string rest) {
  std::string name;
  for (;;) {
    std::size_t digits = 0;
    while (digits < rest.size() && digits < 4 && is_digit(rest[digits])) ++digits;
    const auto length = digits > 0 ? std::stoul(rest.substr(0, digits)) : 0;
    if (length == 0 || digits + length >= rest.size() || rest[digits + length] != '_')
      return rest.size() > digits ? name + rest.substr(digits) : "";
    name += rest.substr(digits, length) + ".";
    rest.erase(0, digits + length + 1);
  }
}

}  // namespace

std::string clean(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    std::uint32_t code = 0;
    const auto bytes = character(text, code);
    if (bytes == 0 || is_unprintable(code))
      result += code == '\t' || code == '\n' ? ' ' : '?';
    else
      result += text.substr(0, bytes);
    text.remove_prefix(std::max<std::size_t>(1, bytes));
  }
  return result;
}

std::string ascii(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    std::uint32_t code = 0;
    const auto bytes = std::max<std::size_t>(1, character(text, code));
    result += bytes == 1 && static_cast<unsigned char>(text[0]) < 0x80 ? std::string(text.substr(0, 1))
              : is_wide(code)                                          ? "??"
                                                                       : "?";
    text.remove_prefix(bytes);
  }
  return result;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) switch (c) {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\'': result += "&#39;"; break;
      default: result += c;
    }
  return result;
}

std::size_t width_of(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    std::uint32_t code = 0;
    const auto bytes = std::max<std::size_t>(1, character(text, code));
    width += is_wide(code) ? 2 : 1;
    text.remove_prefix(bytes);
  }
  return width;
}

std::string cut_end(const std::string& text, std::size_t most) {
  if (width_of(text) <= most) return text;
  return text.substr(0, front_of(text, most - std::min<std::size_t>(most, 3))) + "...";
}

std::string cut_name(const std::string& name, std::size_t most) {
  if (width_of(name) <= most) return name;
  const auto text = advise::without_details(name);
  if (width_of(text) <= most) return text;
  const auto place = text.ends_with(')') ? text.rfind(" (") : text.npos;
  const auto end = place == text.npos ? "" : text.substr(place);
  constexpr std::size_t dots = 3;
  const auto taken = dots + width_of(end);
  if (taken > most / 2 && !end.empty()) return cut_end(text, most);
  const auto room = front_of(text, most - std::min(most, taken));
  return text.substr(0, advise::whole_words(text, room)) + "..." + end;
}

std::vector<std::string> wrapped(const std::string& text, std::size_t most) {
  std::vector<std::string> lines(1);
  for (std::size_t at = 0; at < text.size();) {
    const auto space = std::min(text.find(' ', at), text.size());
    auto end = space;
    // A number and its unit are not separated.
    for (const char* unit : {" %", " us", " ms", " s", " ns"})
      if (end > 0 && end < text.size() && std::isdigit(static_cast<unsigned char>(text[end - 1])) &&
          text.compare(end, std::strlen(unit), unit) == 0) {
        end = std::min(text.find(' ', end + 1), text.size());
        break;
      }
    auto word = text.substr(at, end - at);
    at = end + 1;
    while (width_of(word) > most) {
      const auto piece = std::max<std::size_t>(1, front_of(word, most));
      if (!lines.back().empty()) lines.emplace_back();
      lines.back() = word.substr(0, piece);
      word.erase(0, piece);
    }
    if (!lines.back().empty() && width_of(lines.back()) + 1 + width_of(word) > most) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
  }
  return lines;
}

std::string duration(double seconds) {
  if (seconds >= 3599.5) return three_digits(seconds / 3600) + " h";
  if (seconds >= 599.5) return three_digits(seconds / 60) + " min";
  if (seconds >= 0.9995) return three_digits(seconds) + " s";
  if (seconds >= 0.9995e-3) return three_digits(1e3 * seconds) + " ms";
  if (seconds >= 0.9995e-6) return three_digits(1e6 * seconds) + " us";
  return seconds < 0.5e-9 ? "0 s" : fmt::format("{:.0f} ns", 1e9 * seconds);
}

std::string count(double n) {
  auto text = n >= 99.95 || std::abs(n - std::round(n)) < 0.005 ? fmt::format("{:.0f}", n)
              : n < 0.095                                       ? fmt::format("{:.3f}", n)
                                                                : fmt::format("{:.2f}", n);
  if (text.find('.') != text.npos && text.back() == '0') text.pop_back();
  if (text.find('.') == text.npos)
    for (auto at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string size_of(double bytes) {
  if (bytes < 1023.5) return plural(std::round(bytes), "byte");
  std::size_t unit = 0;
  constexpr std::array<const char*, 4> units{"KiB", "MiB", "GiB", "TiB"};
  for (bytes /= 1024; bytes >= 1023.5 && unit + 1 < units.size(); bytes /= 1024) ++unit;
  return count(bytes < 99.5 ? std::round(10 * bytes) / 10 : std::round(bytes)) + " " + units[unit];
}

std::string percent(double share) {
  if (share > 0 && share < 0.005) return "<1 %";
  if (share < 1 && share >= 0.995) return ">99 %";
  return fmt::format("{:.0f} %", std::floor(100 * share + 0.5 + 1e-9));
}

std::string plural(double n, const std::string& noun) { return count(n) + " " + noun + (n == 1 ? "" : "s"); }

std::string listed(const std::vector<std::string>& all, std::size_t most) {
  if (all.empty()) return {};
  const std::size_t shown = std::min(all.size(), most);
  std::string text = all[0];
  for (std::size_t i = 1; i < shown; ++i) text += (i + 1 == all.size() ? " and " : ", ") + all[i];
  return shown < all.size() ? text + fmt::format(" and {} more", all.size() - shown) : text;
}

DurationScale::DurationScale(double largest_seconds) {
  double a_second = 1e6;
  if (largest_seconds >= 1)
    unit_ = "s", a_second = 1;
  else if (largest_seconds >= 1e-3)
    unit_ = "ms", a_second = 1e3;
  const double largest = largest_seconds * a_second;
  decimals_ = largest >= 1000 ? 0 : largest >= 100 ? 1 : largest >= 10 ? 2 : largest >= 1 ? 3 : 4;
  units_a_second_ = a_second * std::pow(10, decimals_);
}

std::string DurationScale::text(double units) const {
  return fmt::format("{:.{}f} {}", std::round(units) / std::pow(10, decimals_), decimals_, unit_);
}

std::vector<double> parts_of(double total, const std::vector<double>& values) {
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  std::vector<double> parts(values.size()), rest(values.size());
  if (!(sum > 0)) return parts;
  std::vector<std::size_t> order(values.size());
  double left = total;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double exact = total * (values[i] / sum);
    parts[i] = std::floor(exact);
    rest[i] = exact - parts[i];
    left -= parts[i];
    order[i] = i;
  }
  std::ranges::stable_sort(order, [&](auto a, auto b) { return rest[a] > rest[b]; });
  for (std::size_t k = 0; k < order.size() && left > 0.5; ++k, left -= 1) parts[order[k]] += 1;
  return parts;
}

std::string tenths_of_percent(double tenths) { return fmt::format("{:.1f} %", std::round(tenths) / 10); }

bool is_fortran(const std::string& file) {
  auto ending = file.substr(std::min(file.size(), file.rfind('.')));
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto* one : {".f90", ".f", ".for", ".ftn", ".f95", ".f03", ".f08", ".f77"})
    if (ending == one) return true;
  return false;
}

std::string readable(std::string function, const std::string& file) {
  without_suffix(function);
  if (function == "MAIN__") return "main program";
  for (const auto* prefix : {"__pyx_pw_", "__pyx_pf_", "__pyx_f_"})
    if (function.rfind(prefix, 0) == 0)
      if (auto name = of_cython(function.substr(std::string(prefix).size())); !name.empty()) return name;
  if (const auto at = function.find("_MOD_"); function.rfind("__", 0) == 0 && at != function.npos && at > 2)
    return function.substr(2, at - 2) + "::" + function.substr(at + 5);
  const bool tail = function.size() > 1 && function.back() == '_';
  if (const auto at = function.find("_mp_"); tail && at != function.npos && at > 0 && at + 5 < function.size())
    return function.substr(0, at) + "::" + function.substr(at + 4, function.size() - at - 5);
  if (tail && is_fortran(file)) function.pop_back();
  return function;
}

}  // namespace weft::run
