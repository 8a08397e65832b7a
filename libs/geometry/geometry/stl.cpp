// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "geometry/surface.hpp"
#include "geometry/vector.hpp"
#include "weft/error.hpp"

namespace weft::geometry {

namespace {

static_assert(std::endian::native == std::endian::little, "binary STL is little-endian");

constexpr std::size_t header_bytes = 84;
constexpr std::size_t triangle_bytes = 50;

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& what) {
  throw InputError(path.string() + ": " + what);
}

struct PointHash {
  std::size_t operator()(const Vector& p) const {
    std::uint64_t h = 0;
    for (const double c : p) h = (h ^ std::bit_cast<std::uint64_t>(c)) * 0x9E3779B97F4A7C15U, h ^= h >> 29U;
    return h;
  }
};

// Collects triangles in file units and gives equal points one number. -0 becomes 0 so that equal means the same bits.
class Builder {
 public:
  explicit Builder(std::size_t triangles) {
    surface_.triangles.reserve(triangles);
    number_.reserve(triangles / 2 + 3);
  }

  void add(const std::array<Vector, 3>& corners) {
    std::array<std::uint32_t, 3> t{};
    for (std::size_t i = 0; i < 3; ++i) t[i] = number(corners[i]);
    if (t[0] == t[1] || t[1] == t[2] || t[2] == t[0]) {
      ++surface_.dropped_triangles;
    } else {
      surface_.triangles.push_back(t);
    }
  }

  Surface finish(const std::filesystem::path& path, double metres_per_unit) {
    if (surface_.triangles.empty())
      refuse(path, "no triangles (a vessel needs a closed surface). Export the surface again as STL.");
    for (auto& v : surface_.vertices) {
      v = metres_per_unit * v;
      if (!std::isfinite(length(v)))
        refuse(path,
               "a vertex lies too far away (its distance in metres is not a finite number). Repair the surface, or "
               "correct its unit.");
    }
    return std::move(surface_);
  }

 private:
  std::uint32_t number(Vector p) {
    for (auto& c : p) c += 0.0;
    const auto [at, is_new] = number_.try_emplace(p, static_cast<std::uint32_t>(surface_.vertices.size()));
    if (is_new) surface_.vertices.push_back(p);
    return at->second;
  }

  Surface surface_;
  std::unordered_map<Vector, std::uint32_t, PointHash> number_;
};

Surface read_binary(const std::filesystem::path& path, const std::vector<char>& bytes, double metres_per_unit) {
  const std::size_t count = (bytes.size() - header_bytes) / triangle_bytes;
  Builder builder(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t offset = header_bytes + i * triangle_bytes;
    std::array<float, 12> numbers{};  // normal, then three corners
    std::memcpy(numbers.data(), bytes.data() + offset, sizeof numbers);
    std::array<Vector, 3> corners{};
    for (std::size_t k = 0; k < 9; ++k) {
      const double c = numbers[3 + k];
      if (!std::isfinite(c))
        refuse(path, "byte " + std::to_string(offset + 12 + 4 * k) + ": coordinate is not a finite number (triangle " +
                         std::to_string(i) + "). Repair the surface.");
      corners[k / 3][k % 3] = c;
    }
    builder.add(corners);
  }
  return builder.finish(path, metres_per_unit);
}

// The words of a text, each with the number of its line.
class Words {
 public:
  Words(const std::filesystem::path& path, std::string_view text) : path_(path), text_(text) {}

  std::size_t line() const { return line_; }

  // Empty at the end of the text.
  std::string_view next() {
    while (at_ < text_.size() && is_space(text_[at_])) line_ += text_[at_++] == '\n';
    const std::size_t first = at_;
    while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
    return text_.substr(first, at_ - first);
  }

  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  [[noreturn]] void fail(const std::string& what) const {
    refuse(path_, "line " + std::to_string(line_) + ": " + what);
  }

  void expect(std::string_view keyword) {
    const auto word = next();
    if (!same(word, keyword)) unexpected(word, keyword);
  }

  [[noreturn]] void unexpected(std::string_view word, std::string_view wanted) const {
    const std::string found = word.empty() ? "the file ends" : "\"" + std::string(word.substr(0, 40)) + "\"";
    fail(found + " where \"" + std::string(wanted) + "\" should be (not a whole ASCII STL file). Export it again.");
  }

  double number() {
    auto word = next();
    if (!word.empty() && word.front() == '+') word.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    // from_chars does not say whether a number is too large or too small; strtod does.
    if (error == std::errc::result_out_of_range) value = std::strtod(std::string(word).c_str(), nullptr);
    const bool is_number = error == std::errc{} || error == std::errc::result_out_of_range;
    if (word.empty() || !is_number || end != word.data() + word.size()) unexpected(word, "a number");
    if (!std::isfinite(value)) fail("coordinate is not a finite number. Repair the surface.");
    return value;
  }

  static bool same(std::string_view word, std::string_view keyword) {
    return std::equal(word.begin(), word.end(), keyword.begin(), keyword.end(),
                      [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
  }

 private:
  static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  const std::filesystem::path& path_;
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

Surface read_ascii(const std::filesystem::path& path, std::string_view text, double metres_per_unit) {
  constexpr std::size_t least_facet_bytes = 60;  // of any spelling of one facet
  Builder builder(text.size() / least_facet_bytes);
  Words words(path, text);
  bool inside = false;  // of a solid; a file may hold several
  for (auto word = words.next(); !word.empty(); word = words.next()) {
    if (!inside && Words::same(word, "solid")) {
      words.skip_line();
      inside = true;
    } else if (inside && Words::same(word, "endsolid")) {
      words.skip_line();
      inside = false;
    } else if (inside && Words::same(word, "facet")) {
      words.expect("normal");
      for (int k = 0; k < 3; ++k) words.next();  // often wrong, never needed
      words.expect("outer");
      words.expect("loop");
      std::array<Vector, 3> corners{};
      for (auto& corner : corners) {
        words.expect("vertex");
        for (auto& c : corner) c = words.number();
      }
      words.expect("endloop");
      words.expect("endfacet");
      builder.add(corners);
    } else {
      words.unexpected(word, inside ? "facet" : "solid");
    }
  }
  if (inside) words.unexpected({}, "endsolid");
  return builder.finish(path, metres_per_unit);
}

std::vector<char> read_all(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) refuse(path, "is a directory. Name an STL file.");
  std::ifstream file(path, std::ios::binary);
  if (!file) refuse(path, std::string("can't be read (") + std::strerror(errno) + "). Check the path.");
  const auto size = std::filesystem::file_size(path, error);
  if (error) refuse(path, "can't be read (" + error.message() + "). Check the path.");
  std::vector<char> bytes(size);
  file.read(bytes.data(), static_cast<std::streamsize>(size));
  if (static_cast<std::uintmax_t>(file.gcount()) != size)
    refuse(path, "only " + std::to_string(file.gcount()) + " of " + std::to_string(size) +
                     " bytes could be read. Check the file system.");
  return bytes;
}

}  // namespace

Surface read_stl(const std::filesystem::path& path, double metres_per_unit) {
  if (!(metres_per_unit > 0) || !std::isfinite(metres_per_unit))
    refuse(path, "one unit of the file is " + std::to_string(metres_per_unit) +
                     " m (must be a positive number). Give the length of a unit in metres.");
  const auto bytes = read_all(path);
  if (bytes.empty()) refuse(path, "is empty. Export the surface again.");
  if (bytes.size() / triangle_bytes > std::numeric_limits<std::uint32_t>::max() / 3)
    refuse(path, "more than 2^32 corners (they are numbered with 32 bits). Coarsen the surface.");

  std::uint32_t count = 0;
  if (bytes.size() >= header_bytes) std::memcpy(&count, bytes.data() + header_bytes - sizeof count, sizeof count);
  const std::uint64_t promised = header_bytes + std::uint64_t{triangle_bytes} * count;
  if (bytes.size() >= header_bytes && bytes.size() == promised) return read_binary(path, bytes, metres_per_unit);

  const std::string_view text(bytes.data(), bytes.size());
  const auto first = text.find_first_not_of(" \t\r\n");
  const bool says_solid = first != std::string_view::npos && Words::same(text.substr(first, 5), "solid");
  const bool has_zero = text.substr(0, 4096).find('\0') != std::string_view::npos;
  if (says_solid && !has_zero) return read_ascii(path, text, metres_per_unit);
  if (bytes.size() < header_bytes)
    refuse(path, "neither an ASCII STL file (begins with \"solid\") nor a binary one (at least 84 bytes; this has " +
                     std::to_string(bytes.size()) + "). Export the surface again.");
  refuse(path, "byte 80: the header promises " + std::to_string(count) + " triangles, which take " +
                   std::to_string(promised) + " bytes, but the file has " + std::to_string(bytes.size()) +
                   " (truncated, or not an STL file). Export the surface again.");
}

}  // namespace weft::geometry
