// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/drawing.hpp"

#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numbers>
#include <span>
#include <string_view>

#include "insitu/scene.hpp"
#include "weft/error.hpp"
#include "weft/file/whole_file.hpp"

namespace weft::insitu {
namespace {

struct DropSurface {
  void operator()(cairo_surface_t* s) const { cairo_surface_destroy(s); }
};
struct DropContext {
  void operator()(cairo_t* c) const { cairo_destroy(c); }
};
using Surface = std::unique_ptr<cairo_surface_t, DropSurface>;

// The background: a little lighter in the middle of the picture than at its lower edge.
std::array<float, 3> ground(float down, Frame frame) {
  if (frame == Frame::paper) return {1, 1, 1};
  if (frame == Frame::page) return {14.0F / 255, 18.0F / 255, 24.0F / 255};
  const float shade = 1 - 0.09F * down * down;
  return {0.985F * shade, 0.985F * shade, 0.98F * shade + 0.01F * down};
}

// Cairo's pixels: blue, green, red, unused.
void put_segments(cairo_surface_t* surface, const Rendered& picture, Frame frame) {
  cairo_surface_flush(surface);
  auto* data = cairo_image_surface_get_data(surface);
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface));
  const auto width = static_cast<std::uint32_t>(picture.scene.width),
             height = static_cast<std::uint32_t>(picture.scene.height);
  auto next = picture.segments.begin();
  for (std::uint32_t row = 0; row < height; ++row) {
    const auto behind = ground(static_cast<float>(row) / static_cast<float>(height), frame);
    auto* to = data + row * stride;
    for (std::uint32_t column = 0; column < width; ++column, to += 4) {
      std::array<float, 3> colour = behind;
      if (next != picture.segments.end() && next->pixel == row * width + column) {
        const float through = 1 - static_cast<float>(next->colour[3]) / 65535;
        for (std::size_t c = 0; c < 3; ++c)
          colour[c] = static_cast<float>(next->colour[c]) / 65535 + through * behind[c];
        ++next;
      }
      for (std::size_t c = 0; c < 3; ++c)
        to[2 - c] = static_cast<std::uint8_t>(std::clamp(colour[c], 0.0F, 1.0F) * 255 + 0.5F);
      to[3] = 255;
    }
  }
  cairo_surface_mark_dirty(surface);
}

// 1, 2 or 5 times a power of ten, not above x.
double round_number(double x) {
  const double power = std::pow(10, std::floor(std::log10(x)));
  for (const double n : {5.0, 2.0})
    if (n * power <= x) return n * power;
  return power;
}

class Pen {
 public:
  Pen(cairo_surface_t* surface, std::int32_t width, std::int32_t height, Frame frame)
      : cairo_(cairo_create(surface)), frame_(frame), width_(width), height_(height),
        unit_(std::clamp(std::min(width, height) / (frame == Frame::paper ? 320.0 : 512.0), 0.5, 4.0)) {
    cairo_select_font_face(cairo_.get(), "sans-serif", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_line_cap(cairo_.get(), CAIRO_LINE_CAP_ROUND);
  }

  void title(const Caption& caption) {
    text(14, 22, 12, caption.title);
    text(14, 38, 11, fmt::format("t = {:.4g} s", caption.time_s), 0.4);
  }

  void scale(const Rendered& picture, const Caption& caption) {
    auto* c = cairo_.get();
    const double left = width_ / unit_ - 74, top = 56, bar = std::min(180.0, height_ / unit_ - 130), wide = 12;
    if (bar < 40) return;
    const int bands = 64;
    for (int i = 0; i < bands; ++i) {
      const auto colour = colour_of(picture.scene.map, 1 - (static_cast<float>(i) + 0.5F) / bands);
      cairo_set_source_rgb(c, static_cast<double>(colour[0]), static_cast<double>(colour[1]),
                           static_cast<double>(colour[2]));
      cairo_rectangle(c, left * unit_, (top + bar * i / bands) * unit_, wide * unit_, (bar / bands + 0.6) * unit_);
      cairo_fill(c);
    }
    text(std::min(left, width_ / unit_ - 10 - wide_of(caption.quantity, 11)), top - 22, 11, caption.quantity);
    text(left, top - 9, 10, caption.unit, 0.4);
    const double low = static_cast<double>(picture.range.low), high = static_cast<double>(picture.range.high);
    const double every = round_number((high - low) / 3.9);
    ink(0.25);
    for (double k = std::ceil(low / every - 1e-6); k * every <= high + 1e-6 * (high - low); ++k) {
      const double y = top + bar * (1 - (k * every - low) / (high - low));
      line(left + wide, y, left + wide + 4, y, 1);
      text(left + wide + 7, y + 3.5, 10, fmt::format("{:.3g}", k == 0 ? 0.0 : k * every));
    }
  }

  void length(const Rendered& picture, const Caption& caption) {
    if (!(caption.metres_per_voxel > 0)) return;
    const double per_pixel = static_cast<double>(picture.projection.voxels_per_pixel()) * caption.metres_per_voxel;
    const double metres = round_number(0.22 * width_ * per_pixel), pixels = metres / per_pixel / unit_;
    const double right = width_ / unit_ - 16, y = height_ / unit_ - (frame_ == Frame::page ? 34 : 18);
    ink(0.2);
    line(right - pixels, y, right, y, 2);
    const bool is_small = metres < 1e-3, is_large = metres >= 0.1;
    const auto label = is_small   ? fmt::format("{:.3g} µm", metres * 1e6)
                       : is_large ? fmt::format("{:.3g} m", metres)
                                  : fmt::format("{:.3g} mm", metres * 1e3);
    text(right - pixels, y - 6, 10, label);
  }

  // A ring visible on dark and light colours, in front of everything.
  void ring(const Projection& projection, const std::array<float, 3>& place) {
    const auto at = projection.project({place[0], place[1], place[2]});
    const double x = static_cast<double>(at[0]) + 0.5, y = static_cast<double>(at[1]) + 0.5, radius = 9 * unit_;
    for (const auto& [wide, red, rest] : {std::array{5.0, 1.0, 1.0}, std::array{2.2, 0.84, 0.0}}) {
      cairo_set_source_rgb(cairo_.get(), red, rest, rest);
      cairo_set_line_width(cairo_.get(), wide * unit_);
      cairo_new_sub_path(cairo_.get());  // no line to it from the previous drawing
      cairo_arc(cairo_.get(), x, y, radius, 0, 2 * std::numbers::pi);
      cairo_stroke(cairo_.get());
    }
  }

  // The axes as seen in the picture, the one pointing away first.
  void triad(const Projection& p) {
    struct Axis {
      double x, y, away;
      std::size_t number;
    };
    std::array<Axis, 3> axes{};
    const double size = static_cast<double>(p.voxels_per_pixel());
    for (std::size_t a = 0; a < 3; ++a)
      axes[a] = {static_cast<double>(p.right[a]) / size, static_cast<double>(p.down[a]) / size,
                 static_cast<double>(p.direction[a]), a};
    std::sort(axes.begin(), axes.end(), [](const Axis& a, const Axis& b) { return a.away > b.away; });
    constexpr std::array<std::array<double, 3>, 3> colours{
        {{0.80, 0.22, 0.20}, {0.18, 0.55, 0.24}, {0.16, 0.38, 0.78}}};
    constexpr std::array<const char*, 3> names{"x", "y", "z"};
    const double x = 44, y = frame_ == Frame::page ? 44 : height_ / unit_ - 44,
                 reach = 24;  // a page's legend is below
    for (const auto& axis : axes) {
      const auto& c = colours[axis.number];
      const double lift = frame_ == Frame::page ? 0.2 : 0;
      cairo_set_source_rgb(cairo_.get(), c[0] + lift, c[1] + lift, c[2] + lift);
      line(x, y, x + reach * axis.x, y + reach * axis.y, 2.2);
      show(x + (reach + 8) * axis.x - 3, y + (reach + 8) * axis.y + 3.5, 11, names[axis.number]);
    }
  }

 private:
  void ink(double grey) {
    if (frame_ == Frame::page) grey = 0.95 - grey;
    cairo_set_source_rgb(cairo_.get(), grey, grey, grey + 0.02);
  }
  void line(double x0, double y0, double x1, double y1, double wide) {
    cairo_set_line_width(cairo_.get(), wide * unit_);
    cairo_move_to(cairo_.get(), x0 * unit_, y0 * unit_);
    cairo_line_to(cairo_.get(), x1 * unit_, y1 * unit_);
    cairo_stroke(cairo_.get());
  }
  void show(double x, double y, double size, const std::string& what) {
    cairo_set_font_size(cairo_.get(), size * unit_);
    cairo_move_to(cairo_.get(), x * unit_, y * unit_);
    cairo_show_text(cairo_.get(), what.c_str());
  }
  double wide_of(const std::string& what, double size) {
    cairo_text_extents_t extents;
    cairo_set_font_size(cairo_.get(), size * unit_);
    cairo_text_extents(cairo_.get(), what.c_str(), &extents);
    return extents.x_advance / unit_;
  }
  void text(double x, double y, double size, const std::string& what, double grey = 0.15) {
    ink(grey);
    show(x, y, size, what);
  }

  std::unique_ptr<cairo_t, DropContext> cairo_;
  Frame frame_;
  double width_, height_, unit_;
};

}  // namespace

Image draw(const Rendered& picture, const Caption& caption, Frame frame) {
  const auto width = picture.scene.width, height = picture.scene.height;
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height));
  if (cairo_surface_status(surface.get()) != CAIRO_STATUS_SUCCESS)
    throw Error(fmt::format("A picture of {} x {} pixels can't be drawn ({}). Use a smaller size.", width, height,
                            cairo_status_to_string(cairo_surface_status(surface.get()))));
  put_segments(surface.get(), picture, frame);
  if (width >= 160 && height >= 160) {
    Pen pen(surface.get(), width, height, frame);
    if (frame == Frame::alone) {
      pen.title(caption);
      pen.scale(picture, caption);
    }
    pen.length(picture, caption);
    pen.triad(picture.projection);
    if (caption.mark) pen.ring(picture.projection, *caption.mark);
  }
  cairo_surface_flush(surface.get());
  Image image{width, height,
              std::vector<std::uint8_t>(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3)};
  const auto* data = cairo_image_surface_get_data(surface.get());
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface.get()));
  auto* to = image.pixels.data();
  for (std::size_t row = 0; row < static_cast<std::size_t>(height); ++row)
    for (std::size_t column = 0; column < static_cast<std::size_t>(width); ++column) {
      const auto* from = data + row * stride + 4 * column;
      *to++ = from[2];
      *to++ = from[1];
      *to++ = from[0];
    }
  return image;
}

std::string png_bytes(const Image& image) {
  const Surface surface(cairo_image_surface_create(CAIRO_FORMAT_RGB24, image.width, image.height));
  auto* data = cairo_image_surface_get_data(surface.get());
  if (data == nullptr) throw Error("There is not enough memory for a picture. Use a smaller size.");
  const auto stride = static_cast<std::size_t>(cairo_image_surface_get_stride(surface.get()));
  const auto* from = image.pixels.data();
  for (std::size_t row = 0; row < static_cast<std::size_t>(image.height); ++row)
    for (std::size_t column = 0; column < static_cast<std::size_t>(image.width); ++column, from += 3) {
      auto* to = data + row * stride + 4 * column;
      to[0] = from[2];
      to[1] = from[1];
      to[2] = from[0];
      to[3] = 255;
    }
  cairo_surface_mark_dirty(surface.get());
  std::string bytes;
  const auto take = [](void* closure, const unsigned char* part, unsigned int size) {
    static_cast<std::string*>(closure)->append(reinterpret_cast<const char*>(part), size);
    return CAIRO_STATUS_SUCCESS;
  };
  cairo_surface_write_to_png_stream(surface.get(), take, &bytes);
  return bytes;
}

void write_png(const Image& image, const std::filesystem::path& path) {
  const auto bytes = png_bytes(image);
  WholeFile file(path);
  file.stream().write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.finish_unsynced();
}

}  // namespace weft::insitu
