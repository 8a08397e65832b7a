// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "insitu/pictures.hpp"

namespace weft::insitu {

/// Red, green, blue, a byte each, row by row from the top.
struct Image {
  std::int32_t width = 0, height = 0;
  std::vector<std::uint8_t> pixels;
};

/// What is written beside the vessel.
struct Caption {
  std::string title, quantity, unit;  ///< such as "speed", "m/s"
  double time_s = 0;
  double metres_per_voxel = 0;
  std::optional<std::array<float, 3>> mark{};  ///< a ring is drawn around this place, sites
};

/// Where a picture is shown: alone, or in a page that has title and scale itself: a dark one, or a sheet of white
/// paper.
enum class Frame : std::uint8_t { alone, page, paper };

/// The picture on a light ground (a page's: dark; paper: white), with the scale of its colours, a bar of length, the
/// triad of axes, time and title.
Image draw(const Rendered& picture, const Caption& caption, Frame frame = Frame::alone);

/// A PNG file's bytes. Throws Error without memory.
std::string png_bytes(const Image& image);
/// Writes a PNG file beside its place and renames it. Throws InputError if the disk is full or the folder can't be
/// written.
void write_png(const Image& image, const std::filesystem::path& path);

}  // namespace weft::insitu
