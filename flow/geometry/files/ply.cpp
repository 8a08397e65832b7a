// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "geometry/files/surface_builder.hpp"
#include "geometry/files/surface_file.hpp"

namespace weft::geometry::files {

namespace {

struct PlyProperty {
  std::string name;
  NumberType type = NumberType::float32;
  std::optional<NumberType> count = {};  // of a list
};

struct PlyElement {
  std::string name;
  std::uint64_t count = 0;
  std::vector<PlyProperty> properties{};
};

struct PlyHeader {
  enum class Format : std::uint8_t { ascii, little, big } format = Format::ascii;
  std::vector<PlyElement> elements{};
  std::size_t lines = 0, bytes = 0;
};

NumberType ply_type(std::string_view name, const Words& words) {
  using enum NumberType;
  constexpr std::array<std::pair<std::string_view, NumberType>, 16> names = {{{"char", int8},
                                                                              {"uchar", uint8},
                                                                              {"short", int16},
                                                                              {"ushort", uint16},
                                                                              {"int", int32},
                                                                              {"uint", uint32},
                                                                              {"float", float32},
                                                                              {"double", float64},
                                                                              {"int8", int8},
                                                                              {"uint8", uint8},
                                                                              {"int16", int16},
                                                                              {"uint16", uint16},
                                                                              {"int32", int32},
                                                                              {"uint32", uint32},
                                                                              {"float32", float32},
                                                                              {"float64", float64}}};
  for (const auto& [known, type] : names)
    if (known == name) return type;
  words.unexpected(name, "a type as float or uchar");
}

PlyHeader read_ply_header(const SurfaceFile& file) {
  PlyHeader header;
  const std::string_view text = file.bytes;
  const char line_end = text.starts_with("ply\r") && !text.starts_with("ply\r\n") ? '\r' : '\n';  // of a binary file
  bool has_format = false;
  for (;;) {
    if (header.bytes >= text.size()) file.refuse("The PLY header has no \"end_header\". Export the surface again.");
    const auto line = text.substr(header.bytes, text.find(line_end, header.bytes) - header.bytes);
    header.bytes = std::min(header.bytes + line.size() + 1, text.size());
    Words words(file, line, "PLY", ++header.lines);
    const auto word = words.next();
    if (word == "end_header") break;
    if (word == "format") {
      const auto format = words.next();
      if (format != "ascii" && format != "binary_little_endian" && format != "binary_big_endian")
        words.unexpected(format, "ascii, binary_little_endian or binary_big_endian");
      header.format = format == "ascii"                  ? PlyHeader::Format::ascii
                      : format == "binary_little_endian" ? PlyHeader::Format::little
                                                         : PlyHeader::Format::big;
      has_format = true;
    } else if (word == "element") {
      auto& element = header.elements.emplace_back(PlyElement{.name = std::string(words.next())});
      const auto count = words.next();
      const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), element.count);
      if (error != std::errc() || end != count.data() + count.size()) words.unexpected(count, "a number of elements");
    } else if (word == "property") {
      if (header.elements.empty()) words.fail("A property stands before the first element. Export the surface again.");
      PlyProperty property;
      auto type = words.next();
      if (type == "list") {
        property.count = ply_type(words.next(), words);
        type = words.next();
      }
      property.type = ply_type(type, words);
      property.name = words.next();
      header.elements.back().properties.push_back(std::move(property));
    } else if (word != "ply" && word != "comment" && word != "obj_info" && !word.empty()) {
      words.unexpected(word, "element, property or end_header");
    }
  }
  if (!has_format) file.refuse("The PLY header has no \"format\". Export the surface again.");
  return header;
}

// The numbers after the header, one by one.
class PlyNumbers {
 public:
  PlyNumbers(const SurfaceFile& file, const PlyHeader& header)
      : file_(file), is_ascii_(header.format == PlyHeader::Format::ascii),
        is_turned_((header.format == PlyHeader::Format::big) == (std::endian::native == std::endian::little)),
        at_(header.bytes),
        words_(file, std::string_view(file.bytes).substr(header.bytes), "ASCII PLY", header.lines + 1) {}

  double next(NumberType type) {
    if (is_ascii_) return words_.number();
    const auto size = size_of(type);
    if (file_.bytes.size() - at_ < size)
      file_.refuse_byte(file_.bytes.size(),
                        "The file ends too early (its header announces more data). Export the surface again.");
    at_ += size;
    return number_at(file_.bytes.data() + at_ - size, type, is_turned_);
  }

  [[noreturn]] void fail(const std::string& what) const {
    if (is_ascii_) words_.fail(what);
    file_.refuse_byte(at_, what);
  }

 private:
  const SurfaceFile& file_;
  bool is_ascii_, is_turned_;
  std::size_t at_;
  Words words_;
};

class PlyReader {
 public:
  explicit PlyReader(const SurfaceFile& file) : file_(file), header_(read_ply_header(file)), numbers_(file, header_) {}

  void run(SurfaceBuilder& builder) {
    bool has_points = false, has_faces = false;
    for (const auto& element : header_.elements) {
      if (element.properties.empty()) continue;
      has_points = has_points || element.name == "vertex";
      has_faces = has_faces || element.name == "face";
      for (std::uint64_t k = 0; k < element.count; ++k) read_element(element);
    }
    if (!has_points || !has_faces)
      file_.refuse(std::string("The file has no element \"") + (has_points ? "face" : "vertex") +
                   "\" (a surface has vertices and faces). Export the surface again.");
    std::size_t first = 0;
    std::vector<Vector> polygon;
    for (std::size_t face = 0; face < face_ends_.size(); ++face) {
      polygon.clear();
      for (; first < face_ends_[face]; ++first) {
        const double corner = corners_[first];
        if (!(corner >= 0 && corner < static_cast<double>(points_.size())) || corner != std::floor(corner))
          file_.refuse("Face " + std::to_string(face) + " has vertex " + number_text(corner) + " (the file has " +
                       std::to_string(points_.size()) + " vertices, counted from 0). Export the surface again.");
        polygon.push_back(points_[static_cast<std::size_t>(corner)]);
      }
      if (!builder.polygon(polygon))
        file_.refuse("Face " + std::to_string(face) + ": " + std::to_string(polygon.size()) +
                     " corners and is not convex (allowed: at most " + std::to_string(SurfaceBuilder::most_corners) +
                     "). Export the surface as triangles.");
    }
  }

 private:
  void read_element(const PlyElement& element) {
    const bool is_vertex = element.name == "vertex", is_face = element.name == "face";
    Vector point{};
    int axes = 0;
    bool has_corners = false;
    for (const auto& property : element.properties) {
      if (property.count) {
        const double count = numbers_.next(*property.count);
        if (!(count >= 0) || count != std::floor(count))
          numbers_.fail("The length of a list is not a whole number. Export the surface again.");
        const bool are_corners = is_face && (property.name == "vertex_indices" || property.name == "vertex_index");
        has_corners = has_corners || are_corners;
        for (double k = 0; k < count; ++k) {
          const double value = numbers_.next(property.type);
          if (are_corners) corners_.push_back(value);
        }
        continue;
      }
      const double value = numbers_.next(property.type);
      for (std::size_t d = 0; d < 3 && is_vertex; ++d)
        if (property.name == std::string_view("xyz").substr(d, 1)) point[d] = value, ++axes;
    }
    if (is_vertex) {
      if (axes != 3) file_.refuse("The vertices have no x, y and z. Export the surface again.");
      for (const double x : point)
        if (!std::isfinite(x)) numbers_.fail("A coordinate is not a finite number. Repair the surface.");
      points_.push_back(point);
    } else if (is_face) {
      if (!has_corners) file_.refuse("The faces have no list \"vertex_indices\". Export the surface again.");
      face_ends_.push_back(corners_.size());
    }
  }

  const SurfaceFile& file_;
  PlyHeader header_;
  PlyNumbers numbers_;
  std::vector<Vector> points_;
  std::vector<double> corners_;
  std::vector<std::size_t> face_ends_;
};

}  // namespace

bool is_ply(std::string_view content) { return content.starts_with("ply\n") || content.starts_with("ply\r"); }

void read_ply(const SurfaceFile& file, SurfaceBuilder& builder) { PlyReader(file).run(builder); }

}  // namespace weft::geometry::files
