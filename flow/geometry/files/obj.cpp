// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <vector>

#include "geometry/files/surface_builder.hpp"

namespace weft::geometry::files {

namespace {

constexpr std::array<std::string_view, 14> obj_words = {"v", "vt", "vn",     "vp",     "f", "fo", "o",
                                                        "g", "s",  "usemtl", "mtllib", "l", "p",  "cstype"};

struct ObjFace {
  std::size_t line = 0, first = 0;  // of `corners`
};

class ObjReader {
 public:
  explicit ObjReader(const SurfaceFile& file) : file_(file) {}

  void run(SurfaceBuilder& builder) {
    const std::string_view text = file_.bytes;
    for (std::size_t at = 0; at < text.size(); ++line_) {
      const auto first_line = line_;
      std::string joined;  // lines continued by a backslash
      auto line = text.substr(at, text.find('\n', at) - at);
      at += line.size() + 1;
      while (line.ends_with('\\') && at < text.size()) {
        joined.append(line.substr(0, line.find_last_of('\\'))).push_back(' ');
        line = text.substr(at, text.find('\n', at) - at);
        at += line.size() + 1;
        ++line_;
      }
      read_line(joined.empty() ? line : std::string_view(joined.append(line)), first_line);
    }
    faces_.push_back({0, corners_.size()});
    std::vector<Vector> polygon;
    for (std::size_t k = 0; k + 1 < faces_.size(); ++k) {
      polygon.clear();
      for (auto c = faces_[k].first; c < faces_[k + 1].first; ++c) {
        if (corners_[c] >= points_.size())
          file_.refuse_line(faces_[k].line, "A face has vertex " + std::to_string(corners_[c] + 1) + " (the file has " +
                                                std::to_string(points_.size()) + "). Export it again.");
        polygon.push_back(points_[corners_[c]]);
      }
      if (!builder.polygon(polygon))
        file_.refuse_line(faces_[k].line, "A face has " + std::to_string(polygon.size()) +
                                              " corners and is not convex (allowed: at most " +
                                              std::to_string(SurfaceBuilder::most_corners) +
                                              "). Export the surface as triangles.");
    }
  }

 private:
  void read_line(std::string_view line, std::size_t number) {
    Words words(file_, line.substr(0, line.find('#')), "OBJ", number);
    const auto word = words.next();
    if (word == "v") {
      auto& p = points_.emplace_back();
      for (auto& x : p) x = words.number();
    } else if (word == "f" || word == "fo") {
      faces_.push_back({number, corners_.size()});
      for (auto corner = words.next(); !corner.empty(); corner = words.next()) corners_.push_back(index(corner, words));
      if (corners_.size() - faces_.back().first < 3)
        words.fail("A face has fewer than three corners. Export the surface again.");
    }
  }

  // "7", "7/1", "7//3", or "-1": the last vertex so far.
  std::uint64_t index(std::string_view corner, const Words& words) const {
    const auto digits = corner.substr(0, corner.find('/'));
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size())
      words.unexpected(corner, "the number of a vertex");
    const auto count = static_cast<std::int64_t>(points_.size());
    if (value == 0 || value < -count)
      words.fail("A face has vertex " + std::to_string(value) +
                 " (vertices are counted from 1, or backwards from the last of the " + std::to_string(count) +
                 " before the face, -1). Export the surface again.");
    return static_cast<std::uint64_t>(value > 0 ? value - 1 : count + value);
  }

  const SurfaceFile& file_;
  std::size_t line_ = 1;
  std::vector<Vector> points_;
  std::vector<std::uint64_t> corners_;
  std::vector<ObjFace> faces_;
};

}  // namespace

bool is_obj(std::string_view content) {
  while (!content.empty()) {
    auto line = content.substr(0, content.find('\n'));
    content.remove_prefix(std::min(line.size() + 1, content.size()));
    while (!line.empty() && Words::is_space(line.front())) line.remove_prefix(1);
    if (line.empty() || line.front() == '#') continue;
    std::size_t end = 0;
    while (end < line.size() && !Words::is_space(line[end])) ++end;
    return std::find(obj_words.begin(), obj_words.end(), line.substr(0, end)) != obj_words.end();
  }
  return false;
}

void read_obj(const SurfaceFile& file, SurfaceBuilder& builder) { ObjReader(file).run(builder); }

}  // namespace weft::geometry::files
