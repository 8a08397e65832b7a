// SPDX-License-Identifier: BSD-3-Clause
#include <bit>
#include <cmath>
#include <pugixml.hpp>
#include <string>
#include <vector>

#include "geometry/files/surface_builder.hpp"
#include "geometry/files/surface_file.hpp"
#include "geometry/files/vtp_array.hpp"

namespace weft::geometry::files {

namespace {

// Parses the part before <AppendedData>, which may contain any bytes, as a separate XML document. Offsets in it are the
// file's.
void load_xml(const SurfaceFile& file, pugi::xml_document& document, VtpEncoding& encoding) {
  const std::string_view text = file.bytes;
  const auto appended = text.find("<AppendedData");
  std::string xml(text.substr(0, appended));
  if (appended != std::string_view::npos) xml += "</VTKFile>";
  const auto result = document.load_buffer(xml.data(), xml.size());
  if (!result) {
    const auto line =
        1 + std::count(text.begin(),
                       text.begin() + std::min<std::ptrdiff_t>(result.offset, static_cast<std::ptrdiff_t>(text.size())),
                       '\n');
    file.refuse_line(static_cast<std::size_t>(line),
                     std::string("The file is not XML (") + result.description() + "). Save the surface again.");
  }
  if (appended == std::string_view::npos) return;
  const auto end_of_tag = text.find('>', appended);
  const auto underscore = text.find('_', std::min(end_of_tag, text.size()));
  if (underscore == std::string_view::npos)
    file.refuse_byte(appended, "<AppendedData> has no '_' before its data (truncated). Save the surface again.");
  encoding.is_appended_raw = text.substr(appended, end_of_tag - appended).find("base64") == std::string_view::npos;
  encoding.appended = text.substr(underscore + 1);
}

class VtpReader {
 public:
  VtpReader(const SurfaceFile& file, SurfaceBuilder& builder) : file_(file), builder_(builder) {}

  void run() {
    pugi::xml_document document;
    load_xml(file_, document, encoding_);
    const auto root = document.child("VTKFile");
    if (!root)
      file_.refuse("This is not a VTK XML file (its outermost element is not <VTKFile>). Give the file of a surface.");
    const std::string_view type = root.attribute("type").value();
    if (type == "Collection") file_.refuse(series_of_surfaces);
    if (type != "PolyData")
      fail(root, "The file contains \"" + std::string(type) +
                     "\" (a surface is PolyData). Extract its surface, for example with ParaView's Extract Surface.");
    const std::string_view order = root.attribute("byte_order").as_string("LittleEndian");
    encoding_.is_turned = (order == "BigEndian") == (std::endian::native == std::endian::little);
    encoding_.has_long_words = root.attribute("header_type").as_string() == std::string_view("UInt64");
    const std::string_view compressor = root.attribute("compressor").value();
    if (!compressor.empty() && compressor != "vtkZLibDataCompressor")
      fail(root, "The file is compressed by " + std::string(compressor) +
                     " (weft reads vtkZLibDataCompressor). Save it with zlib, or without compression.");
    encoding_.is_packed = !compressor.empty();
    const auto data = root.child("PolyData");
    if (!data.child("Piece")) fail(root, "<PolyData> with a <Piece> is missing. Save the surface again.");
    for (const auto piece : data.children("Piece")) read_piece(piece);
  }

 private:
  [[noreturn]] void fail(pugi::xml_node at, const std::string& what) const {
    file_.refuse_line(vtp_line(file_, at), what);
  }

  void read_piece(pugi::xml_node piece) {
    points_.clear();
    const auto array = piece.child("Points").child("DataArray");
    const bool is_empty = piece.attribute("NumberOfPoints").as_ullong() == 0;
    if (!array && is_empty) return;
    if (!array) fail(piece, "<Points> with its array is missing. Save the surface again.");
    const auto numbers = vtp_numbers(file_, encoding_, array);
    if (numbers.size() % 3 != 0)
      fail(array, std::to_string(numbers.size()) +
                      " coordinates are no multiple of three (each point has three). Save the surface again.");
    for (std::size_t k = 0; k < numbers.size(); k += 3) {
      const Vector p{numbers[k], numbers[k + 1], numbers[k + 2]};
      for (const double x : p)
        if (!std::isfinite(x))
          fail(array,
               "Point " + std::to_string(k / 3) + " has a coordinate that is not a finite number. Repair the surface.");
      points_.push_back(p);
    }
    read_cells(piece.child("Polys"), false);
    read_cells(piece.child("Strips"), true);
  }

  void read_cells(pugi::xml_node cells, bool are_strips) {
    const auto array = [&](const char* name) { return cells.find_child_by_attribute("DataArray", "Name", name); };
    const auto connectivity = array("connectivity"), offsets = array("offsets");
    if (!connectivity && !offsets) return;
    if (!connectivity || !offsets)
      fail(cells, std::string("The array \"") + (offsets ? "connectivity" : "offsets") +
                      "\" is missing. Save the surface again.");
    const auto corners = vtp_numbers(file_, encoding_, connectivity), ends = vtp_numbers(file_, encoding_, offsets);
    builder_.expect(ends.size());
    std::size_t first = 0;
    std::vector<Vector> cell;
    for (const double end : ends) {
      if (!(end >= static_cast<double>(first)) || end > static_cast<double>(corners.size()) || end != std::floor(end))
        fail(offsets, "An offset is " + number_text(end) + " (offsets grow, up to the " +
                          std::to_string(corners.size()) + " of \"connectivity\"). Save the surface again.");
      cell.clear();
      for (; first < static_cast<std::size_t>(end); ++first) cell.push_back(point(corners[first], connectivity));
      if (are_strips)
        strip(cell);
      else if (!builder_.polygon(cell))
        fail(offsets, "A polygon has " + std::to_string(cell.size()) + " corners and is not convex (allowed: at most " +
                          std::to_string(SurfaceBuilder::most_corners) + "). Save the surface as triangles.");
    }
  }

  const Vector& point(double number, pugi::xml_node array) const {
    if (!(number >= 0 && number < static_cast<double>(points_.size())) || number != std::floor(number))
      fail(array, "A cell has point " + number_text(number) + " (there are " + std::to_string(points_.size()) +
                      ", counted from 0). Save the surface again.");
    return points_[static_cast<std::size_t>(number)];
  }

  void strip(const std::vector<Vector>& cell) {
    for (std::size_t k = 0; k + 2 < cell.size(); ++k)
      builder_.triangle({cell[k], cell[k + 1 + k % 2], cell[k + 2 - k % 2]});
  }

  const SurfaceFile& file_;
  SurfaceBuilder& builder_;
  VtpEncoding encoding_;
  std::vector<Vector> points_;
};

}  // namespace

bool is_vtp(std::string_view content) {
  const auto first = content.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return false;
  content.remove_prefix(first);
  return content.starts_with("<?xml") || content.starts_with("<VTKFile");
}

void read_vtp(const SurfaceFile& file, SurfaceBuilder& builder) { VtpReader(file, builder).run(); }

}  // namespace weft::geometry::files
