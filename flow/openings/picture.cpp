// SPDX-License-Identifier: BSD-3-Clause
#include "openings/picture.hpp"

#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <numbers>
#include <vector>

#include "weft/error.hpp"

namespace weft::openings {

using namespace geometry;  // a Vector's operators

namespace {

constexpr int panel = 520, head = 44, margin = 46;

struct View {
  const char* name;
  Vector right, up, towards;  // to the viewer
};
constexpr std::array<View, 3> views = {{{"from the front (-y)", {1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
                                        {"from the side (+x)", {0, 1, 0}, {0, 0, 1}, {1, 0, 0}},
                                        {"from above (+z)", {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};

struct Camera {
  const View& view;
  Vector middle;
  double scale, left, top;

  std::array<double, 3> operator()(const Vector& p) const {
    const auto d = p - middle;
    return {left + panel / 2.0 + scale * dot(d, view.right), top + panel / 2.0 - scale * dot(d, view.up),
            dot(d, view.towards)};
  }
};

// Rasterises triangles into a panel's pixels: the shade of the nearest one (0: none), seen from either side.
void shade_panel(const Surface& surface, const Camera& camera, std::vector<float>& shade) {
  std::vector<float> depth(shade.size(), -std::numeric_limits<float>::infinity());
  for (const auto& t : surface.triangles) {
    std::array<std::array<double, 3>, 3> p{};
    for (std::size_t k = 0; k < 3; ++k) {
      p[k] = camera(surface.vertices[t[k]]);
      p[k][0] -= camera.left, p[k][1] -= camera.top;
    }
    const double twice = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
    if (twice == 0) continue;
    const auto n =
        cross(surface.vertices[t[1]] - surface.vertices[t[0]], surface.vertices[t[2]] - surface.vertices[t[0]]);
    const double size = length(n);
    const auto& v = camera.view;
    const double facing = size > 0 ? std::abs(dot(n, v.towards)) / size : 0;
    const double lit = size > 0 ? std::abs(dot(n, v.towards) + 0.5 * dot(n, v.up) - 0.3 * dot(n, v.right)) / size : 0;
    const auto value = static_cast<float>(0.35 + 0.35 * facing + 0.25 * std::min(1.0, lit));
    const auto low = [&](std::size_t d) {
      return std::max(0, static_cast<int>(std::ceil(std::min({p[0][d], p[1][d], p[2][d]}) - 0.5)));
    };
    const auto high = [&](std::size_t d) {
      return std::min(panel - 1, static_cast<int>(std::floor(std::max({p[0][d], p[1][d], p[2][d]}) - 0.5)));
    };
    for (int y = low(1); y <= high(1); ++y)
      for (int x = low(0); x <= high(0); ++x) {
        std::array<double, 3> w{};
        for (std::size_t k = 0; k < 3; ++k) {
          const auto &a = p[(k + 1) % 3], &b = p[(k + 2) % 3];
          w[k] = ((b[0] - a[0]) * (y + 0.5 - a[1]) - (b[1] - a[1]) * (x + 0.5 - a[0])) / twice;
        }
        if (w[0] < 0 || w[1] < 0 || w[2] < 0) continue;
        const auto z = static_cast<float>(w[0] * p[0][2] + w[1] * p[1][2] + w[2] * p[2][2]);
        const auto i = static_cast<std::size_t>(y * panel + x);
        if (z > depth[i]) depth[i] = z, shade[i] = value;
      }
  }
}

struct Drop {
  void operator()(cairo_surface_t* s) const { cairo_surface_destroy(s); }
  void operator()(cairo_t* c) const { cairo_destroy(c); }
};

void put_panel(cairo_surface_t* surface, const std::vector<float>& shade, int left, int top) {
  cairo_surface_flush(surface);
  auto* data = cairo_image_surface_get_data(surface);
  const int stride = cairo_image_surface_get_stride(surface);
  for (int y = 0; y < panel; ++y)
    for (int x = 0; x < panel; ++x) {
      const float s = shade[static_cast<std::size_t>(y * panel + x)];
      if (s == 0) continue;
      auto* to = data + (top + y) * stride + 4 * (left + x);
      constexpr std::array<float, 3> tissue = {205, 190, 240};  // blue, green, red: pale, so that the inside is visible
      for (std::size_t c = 0; c < 3; ++c)
        to[c] = static_cast<std::uint8_t>(std::clamp(tissue[c] * (0.35F + 0.68F * s), 0.0F, 255.0F));
    }
  cairo_surface_mark_dirty(surface);
}

void path(cairo_t* c, const Camera& camera, const std::vector<Vector>& points) {
  cairo_new_path(c);
  for (const auto& p : points) {
    const auto q = camera(p);
    cairo_line_to(c, q[0], q[1]);
  }
}

void write(cairo_t* c, double x, double y, double size, const std::string& text, bool bold = false) {
  cairo_select_font_face(c, "sans-serif", CAIRO_FONT_SLANT_NORMAL,
                         bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(c, size);
  cairo_move_to(c, x, y);
  cairo_show_text(c, text.c_str());
}

void colour_of(cairo_t* c, Role role, double alpha) {
  if (role == Role::inlet)
    cairo_set_source_rgba(c, 0.84, 0.37, 0.0, alpha);  // colours that colour-blind people can distinguish
  else if (role == Role::outlet)
    cairo_set_source_rgba(c, 0.0, 0.35, 0.70, alpha);
  else
    cairo_set_source_rgba(c, 0.45, 0.45, 0.45, alpha);
}

void draw_opening(cairo_t* c, const Camera& camera, const VesselOpening& o, std::size_t number, Role role) {
  path(c, camera, o.contour);
  cairo_close_path(c);
  colour_of(c, role, 0.45);
  cairo_fill_preserve(c);
  colour_of(c, role, 1);
  cairo_set_line_width(c, 1.6);
  cairo_stroke(c);
  // An arrow in the direction of the flow, and the number outside of the vessel.
  const auto from = camera(o.centre), out = camera(o.centre - o.radius * o.normal);
  double dx = out[0] - from[0], dy = out[1] - from[1];
  const double size = std::hypot(dx, dy), tilt = size / (o.radius * camera.scale);
  if (size > 1e-9) dx /= size, dy /= size;
  const double reach = tilt > 0.3 ? 34 : 12;
  const double x = from[0] + reach * dx, y = from[1] + reach * dy;
  const bool is_inlet = role == Role::inlet;
  if (tilt > 0.3 && role != Role::closed) {
    const double tail = is_inlet ? reach : 6, tip = is_inlet ? 6 : reach - 8;
    cairo_move_to(c, from[0] + tail * dx, from[1] + tail * dy);
    cairo_line_to(c, from[0] + tip * dx, from[1] + tip * dy);
    cairo_stroke(c);
    const double s = is_inlet ? 6 : -6;
    cairo_move_to(c, from[0] + tip * dx, from[1] + tip * dy);
    cairo_line_to(c, from[0] + (tip + s) * dx - 4 * dy, from[1] + (tip + s) * dy + 4 * dx);
    cairo_line_to(c, from[0] + (tip + s) * dx + 4 * dy, from[1] + (tip + s) * dy - 4 * dx);
    cairo_close_path(c);
    cairo_fill(c);
  }
  const double bx = x + 11 * dx, by = y + 11 * dy;
  cairo_arc(c, bx, by, 11, 0, 2 * std::numbers::pi);
  cairo_fill(c);
  cairo_set_source_rgb(c, 1, 1, 1);
  const auto text = fmt::format("{}", number);
  write(c, bx - 3.9 * static_cast<double>(text.size()), by + 4.8, 13, text, true);
}

// A suitable length of one, two or five units, with its label.
void draw_bar(cairo_t* c, const Camera& camera, const std::string& unit) {
  double bar = std::pow(10, std::floor(std::log10(140 / camera.scale)));
  if (5 * bar * camera.scale < 140)
    bar *= 5;
  else if (2 * bar * camera.scale < 140)
    bar *= 2;
  const double x = camera.left + 14, y = camera.top + panel - 14;
  cairo_set_source_rgb(c, 0.2, 0.2, 0.2);
  cairo_set_line_width(c, 2);
  cairo_move_to(c, x, y);
  cairo_line_to(c, x + bar * camera.scale, y);
  cairo_stroke(c);
  write(c, x, y - 6, 12, fmt::format("{:g} {}", bar, unit));
}

}  // namespace

insitu::Image draw_openings(const Surface& surface, const VesselAnalysis& vessel, const std::vector<Role>& roles,
                            const std::string& title, const std::string& unit) {
  const int columns = static_cast<int>(views.size());
  const int table = 30 + 20 * static_cast<int>(vessel.openings.size());
  const int width = columns * panel, height = head + panel + table;
  const std::unique_ptr<cairo_surface_t, Drop> target(cairo_image_surface_create(CAIRO_FORMAT_RGB24, width, height));
  const std::unique_ptr<cairo_t, Drop> context(cairo_create(target.get()));
  auto* c = context.get();
  if (cairo_status(c) != CAIRO_STATUS_SUCCESS)
    throw Error("There is not enough memory for the picture. Use --no-picture.");
  cairo_set_source_rgb(c, 0.985, 0.985, 0.98);
  cairo_paint(c);
  const auto size = vessel.high - vessel.low;
  for (int k = 0; k < columns; ++k) {
    const auto& view = views[static_cast<std::size_t>(k)];
    const double wide = std::abs(dot(size, view.right)), tall = std::abs(dot(size, view.up));
    const Camera camera{view, 0.5 * (vessel.low + vessel.high), (panel - 2 * margin) / std::max({wide, tall, 1e-300}),
                        static_cast<double>(k * panel), head};
    std::vector<float> shade(static_cast<std::size_t>(panel * panel), 0.0F);
    shade_panel(surface, camera, shade);
    put_panel(target.get(), shade, k * panel, head);
    cairo_set_source_rgba(c, 0.25, 0.2, 0.3, 0.8);
    cairo_set_line_width(c, 1.2);
    for (const auto& branch : vessel.lines.branches) {
      path(c, camera, branch.points);
      cairo_stroke(c);
    }
    for (std::size_t n = vessel.openings.size(); n-- > 0;) draw_opening(c, camera, vessel.openings[n], n + 1, roles[n]);
    cairo_set_source_rgb(c, 0.2, 0.2, 0.2);
    write(c, k * panel + 14, head + 10, 12, view.name);
    draw_bar(c, camera, unit);
  }
  cairo_set_source_rgb(c, 0.1, 0.1, 0.1);
  write(c, 14, 24, 17, title, true);
  for (std::size_t n = 0; n < vessel.openings.size(); ++n) {
    const auto& o = vessel.openings[n];
    colour_of(c, roles[n], 1);
    write(c, 14, head + panel + 20 + 20 * static_cast<double>(n), 13,
          fmt::format("{}  {}: {}, area {:.4g} {}\u00b2, radius {:.4g} {}, roundness {:.2f}", n + 1,
                      roles[n] == Role::inlet    ? "inlet"
                      : roles[n] == Role::outlet ? "outlet"
                                                 : "closed",
                      name_of(o.kind), o.area, unit, o.radius, unit, o.roundness));
  }
  insitu::Image image{width, height, {}};
  image.pixels.reserve(static_cast<std::size_t>(3 * width * height));
  cairo_surface_flush(target.get());
  const auto* data = cairo_image_surface_get_data(target.get());
  const int stride = cairo_image_surface_get_stride(target.get());
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (const int k : {2, 1, 0}) image.pixels.push_back(data[y * stride + 4 * x + k]);
  return image;
}

}  // namespace weft::openings
