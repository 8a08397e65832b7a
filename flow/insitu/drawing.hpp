// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "insitu/pictures.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace insitu {

/// Red, green, blue, one byte each, row by row from the top.
struct Image {
  std::int32_t width = 0, height = 0;
  std::vector<std::uint8_t> pixels;
};

/// The texts of the picture.
struct Caption {
  std::string title, quantity, unit;  ///< such as "speed", "m/s"
  double time_s = 0;
  double metres_per_voxel = 0;
  std::optional<std::array<float, 3>> mark{};  ///< position of a ring, in sites
};

/// The frame of a picture: alone, in a page with its own title and scale (dark), or on white paper.
enum class Frame : std::uint8_t { alone, page, paper };

/// Draws the picture on a light background (dark in a page, white on paper), with its colour scale, a length bar, the
/// triad of axes, time and title.
Image draw(const Rendered& picture, const Caption& caption, Frame frame = Frame::alone);

/// The bytes of a PNG file. Throws Error if memory is exhausted.
std::string png_bytes(const Image& image);
/// Writes a PNG file under a temporary name and renames it. Throws InputError if the disk is full or the folder can't
/// be written.
void write_png(const Image& image, const std::filesystem::path& path);

}  // namespace insitu
}  // namespace weft
