// SPDX-License-Identifier: BSD-3-Clause
//
// Writes VTK's XML of PolyData in all its encodings.
#pragma once

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "geometry/vector.hpp"

namespace weft::geometry::test {

struct VtpWriter {
  enum class Format : std::uint8_t { ascii, binary, appended_raw, appended_base64 } format = Format::ascii;
  bool packed = false, long_words = false, big = false, doubles = false;

  using Cells = std::vector<std::vector<int>>;

  std::string text(const std::vector<Vector>& points, const Cells& polys, const Cells& strips) const {
    std::string appended;
    std::vector<double> coordinates;
    for (const auto& p : points) coordinates.insert(coordinates.end(), p.begin(), p.end());
    std::string out = std::string("<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"") +
                      (big ? "BigEndian" : "LittleEndian") + "\" header_type=\"" + (long_words ? "UInt64" : "UInt32") +
                      "\"" + (packed ? " compressor=\"vtkZLibDataCompressor\"" : "") + ">\n<PolyData>\n<Piece " +
                      "NumberOfPoints=\"" + std::to_string(points.size()) + "\" NumberOfPolys=\"" +
                      std::to_string(polys.size()) + "\">\n<Points>\n";
    out += doubles ? array<double>("Points", "Float64", coordinates, appended)
                   : array<float>("Points", "Float32", coordinates, appended);
    out += "</Points>\n<Polys>\n" + cells(polys, appended) + "</Polys>\n";
    if (!strips.empty()) out += "<Strips>\n" + cells(strips, appended) + "</Strips>\n";
    out += "</Piece>\n</PolyData>\n";
    if (format == Format::appended_raw || format == Format::appended_base64)
      out += std::string("<AppendedData encoding=\"") + (format == Format::appended_raw ? "raw" : "base64") +
             "\">\n _" + appended + "\n</AppendedData>\n";
    return out + "</VTKFile>\n";
  }

 private:
  template <class T>
  void put(std::string& bytes, T value) const {
    std::string own(sizeof value, '\0');
    std::memcpy(own.data(), &value, sizeof value);
    if (big) std::reverse(own.begin(), own.end());
    bytes += own;
  }
  void put_word(std::string& bytes, std::size_t value) const {
    if (long_words)
      put(bytes, std::uint64_t{value});
    else
      put(bytes, static_cast<std::uint32_t>(value));
  }

  static std::string base64(const std::string& bytes) {
    constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (std::size_t k = 0; k < bytes.size(); k += 3) {
      std::uint32_t bits = 0;
      const auto count = std::min<std::size_t>(3, bytes.size() - k);
      for (std::size_t b = 0; b < 3; ++b)
        bits = bits << 8U | (b < count ? static_cast<unsigned char>(bytes[k + b]) : 0U);
      for (std::size_t c = 0; c < 4; ++c) out += c <= count ? letters[bits >> (18 - 6 * c) & 63U] : '=';
    }
    return out;
  }

  // Compressed data are in blocks of 64 bytes, so that there are several blocks.
  std::string encoded(const std::string& bytes) const {
    const bool is_raw = format == Format::appended_raw;
    std::string head, data;
    if (!packed) {
      put_word(head, bytes.size());
      return is_raw ? head + bytes : base64(head + bytes);
    }
    constexpr std::size_t block = 64;
    const auto blocks = (bytes.size() + block - 1) / block;
    put_word(head, blocks), put_word(head, block), put_word(head, bytes.size() % block);
    for (std::size_t k = 0; k < blocks; ++k) {
      const auto part = bytes.substr(k * block, block);
      uLongf size = compressBound(part.size());
      std::string small(size, '\0');
      compress(reinterpret_cast<Bytef*>(small.data()), &size, reinterpret_cast<const Bytef*>(part.data()), part.size());
      data += small.substr(0, size);
      put_word(head, size);
    }
    return is_raw ? head + data : base64(head) + base64(data);
  }

  template <class T>
  std::string array(const std::string& name, const std::string& type, const std::vector<double>& values,
                    std::string& appended) const {
    std::string head = "<DataArray type=\"" + type + "\" Name=\"" + name + "\" format=\"", inside;
    if (format == Format::ascii) {
      for (const double v : values) inside += std::to_string(static_cast<T>(v)) + " ";
      return head + "ascii\">\n" + inside + "\n<InformationKey name=\"L2_NORM_RANGE\"/>\n</DataArray>\n";
    }
    std::string bytes;
    for (const double v : values) put(bytes, static_cast<T>(v));
    if (format == Format::binary) return head + "binary\">\n  " + encoded(bytes) + "\n</DataArray>\n";
    head += "appended\" offset=\"" + std::to_string(appended.size()) + "\"/>\n";
    appended += encoded(bytes);
    return head;
  }

  std::string cells(const Cells& cells, std::string& appended) const {
    std::vector<double> corners, ends;
    for (const auto& cell : cells) {
      corners.insert(corners.end(), cell.begin(), cell.end());
      ends.push_back(static_cast<double>(corners.size()));
    }
    return doubles ? array<std::int64_t>("connectivity", "Int64", corners, appended) +
                         array<std::int64_t>("offsets", "Int64", ends, appended)
                   : array<std::int32_t>("connectivity", "Int32", corners, appended) +
                         array<std::int32_t>("offsets", "Int32", ends, appended);
  }
};

}  // namespace weft::geometry::test
