// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <pugixml.hpp>
#include <string_view>
#include <vector>

#include "geometry/files/surface_file.hpp"

namespace weft::geometry::files {

/// The encoding of arrays in a VTK XML file.
struct VtpEncoding {
  bool is_turned = false;       ///< numbers are in the other byte order than this machine's
  bool has_long_words = false;  ///< lengths before the data have 8 bytes, not 4
  bool is_packed = false;       ///< by zlib, block by block
  std::string_view appended{};  ///< the bytes after the underscore of <AppendedData>
  bool is_appended_raw = false;
};

/// The numbers of a <DataArray>: ASCII, binary inline (base64), or appended. Throws InputError with the array's name
/// and line.
std::vector<double> vtp_numbers(const SurfaceFile& file, const VtpEncoding& encoding, pugi::xml_node array);

/// The line of an element in the file.
std::size_t vtp_line(const SurfaceFile& file, pugi::xml_node element);

}  // namespace weft::geometry::files
