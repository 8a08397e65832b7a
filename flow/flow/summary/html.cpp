// SPDX-License-Identifier: BSD-3-Clause
#include "flow/summary/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

#include "insitu/scene.hpp"

namespace weft::flow::summary {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      default: out += c;
    }
  return out;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    std::uint32_t group = 0;
    for (std::size_t i = 0; i < 3; ++i)
      group = group << 8 | (k + i < bytes.size() ? static_cast<std::uint8_t>(bytes[k + i]) : 0U);
    for (std::size_t i = 0; i < 4; ++i) out += k + i > bytes.size() ? '=' : letters[group >> (18 - 6 * i) & 63];
  }
  return out;
}

std::string digits(double value, int count) {
  if (!std::isfinite(value)) return "–";
  if (value == 0) return "0";
  const double size = std::abs(value);
  std::string text;
  if (size >= 1e7 || size < 1e-4) {
    text = fmt::format("{:.{}g}", size, count);
  } else {
    const int before = static_cast<int>(std::floor(std::log10(size))) + 1;
    text = fmt::format("{:.{}f}", size, std::max(0, count - before));
  }
  return (value < 0 ? "−" : "") + text;
}

std::string given(double value) { return (value < 0 ? "−" : "") + fmt::format("{:.4g}", std::abs(value)); }

std::string percent(double part, int count) { return std::isfinite(part) ? digits(100 * part, count) + " %" : "–"; }

std::string number(double in_si, const Unit& unit, int count) {
  if (!std::isfinite(in_si)) return "–";
  return fmt::format("<data value=\"{}\">{}</data>", in_si, digits(in_si / unit.si, count));
}

std::string with_unit(double in_si, const Unit& unit, int count) {
  return fmt::format("{}&nbsp;{}", number(in_si, unit, count), unit.name);
}

namespace {

constexpr double wide = 360, high = 168, left = 40, right = 74, top = 22, bottom = 26;

/// 1, 2 or 5 times a power of ten, not below x.
double round_step(double x) {
  const double power = std::pow(10, std::floor(std::log10(x)));
  for (const double n : {1.0, 2.0, 5.0})
    if (n * power >= 0.999 * x) return n * power;
  return 10 * power;
}

struct Axis {
  double low = 0, high = 1, every = 1;

  static Axis over(double low, double high, double ticks, bool from_zero) {
    if (from_zero) low = std::min(low, 0.0), high = std::max(high, 0.0);
    if (!(high > low)) low -= 0.5 * std::max(std::abs(low), 1e-9), high += 0.5 * std::max(std::abs(high), 1e-9);
    const double every = round_step((high - low) / ticks);
    if (from_zero && low > -0.04 * high) low = 0;  // a small part of a curve may lie below the axis
    return {every * std::floor(low / every + 1e-6), every * std::ceil(high / every - 1e-6), every};
  }
  std::string text(double value) const {
    const int after = std::clamp(static_cast<int>(std::ceil(-std::log10(every) - 1e-6)), 0, 9);
    const double shown = std::abs(value) < 1e-6 * every ? 0 : value;
    return (shown < 0 ? "−" : "") + fmt::format("{:.{}f}", std::abs(shown), after);
  }
};

}  // namespace

const char* colour_of(std::size_t number) {
  static constexpr std::array<const char*, 7> colours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                      "#E69F00", "#56B4E9", "#7F7F7F"};
  return colours[number % colours.size()];
}

std::string svg_of(const LineChart& chart) {
  double low = std::numeric_limits<double>::infinity(), highest = -low, first = low, last = -low;
  const auto value_of = [&](const Curve& curve, std::size_t c, std::size_t i) {
    return curve.value[i] * (c < chart.signs.size() ? chart.signs[c] : 1.0) / chart.unit.si;
  };
  for (const auto* curves : {&chart.curves, &chart.prescribed})
    for (std::size_t c = 0; c < curves->size(); ++c)
      for (std::size_t i = 0; i < (*curves)[c].value.size(); ++i) {
        const double v = value_of((*curves)[c], c, i), t = (*curves)[c].time_s[i];
        if (!std::isfinite(v)) continue;
        low = std::min(low, v), highest = std::max(highest, v), first = std::min(first, t), last = std::max(last, t);
      }
  auto svg = fmt::format("<figure><svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">", wide, high,
                         escaped(chart.title));
  if (!(last > first))
    return svg + fmt::format("<text x=\"{}\" y=\"{}\" class=\"quiet\">no rows</text></svg></figure>", left, high / 2);
  const bool near_zero = low < 0.4 * highest || highest < 0;
  const auto y = Axis::over(low, highest, 4, near_zero), x = Axis::over(first, last, 5, false);
  const auto at_x = [&](double t) { return left + (wide - left - right) * (t - first) / (last - first); };
  const auto at_y = [&](double v) { return high - bottom - (high - top - bottom) * (v - y.low) / (y.high - y.low); };
  svg += fmt::format("<text x=\"0\" y=\"10\" class=\"head\">{}</text>", escaped(chart.title));
  for (double v = y.low; v <= y.high + 1e-6 * y.every; v += y.every)
    svg += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\" class=\"{3}\"/><text x=\"{4}\" y=\"{5:.1f}\" "
        "text-anchor=\"end\">{6}</text>",
        left, wide - right, at_y(v), std::abs(v) < 1e-6 * y.every ? "zero" : "grid", left - 5, at_y(v) + 3, y.text(v));
  for (double t = x.low; t <= last + 1e-6 * x.every; t += x.every)
    if (t >= first - 1e-6 * x.every)
      svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\">{}</text>", at_x(t), high - bottom + 12,
                         x.text(t));
  svg += fmt::format("<text x=\"{:.1f}\" y=\"{}\" text-anchor=\"middle\" class=\"quiet\">time, s</text>",
                     (left + wide - right) / 2, high - 2);
  struct Label {
    double y;
    std::size_t curve;
  };
  std::vector<Label> labels;
  // Draws a curve, and returns where it ends; not a number if it has no points.
  const auto draw = [&](const Curve& curve, std::size_t c, const char* kind) {
    std::string points;
    double end = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < curve.value.size(); ++i) {
      if (!std::isfinite(value_of(curve, c, i))) continue;
      end = at_y(value_of(curve, c, i));
      points += fmt::format("{:.1f},{:.1f} ", at_x(curve.time_s[i]), end);
    }
    if (!points.empty()) svg += fmt::format("<polyline points=\"{}\" stroke=\"{}\"{}/>", points, colour_of(c), kind);
    return end;
  };
  for (std::size_t c = 0; c < chart.curves.size(); ++c)
    if (const double end = draw(chart.curves[c], c, ""); std::isfinite(end)) labels.push_back({end, c});
  for (std::size_t c = 0; c < chart.prescribed.size(); ++c) draw(chart.prescribed[c], c, " class=\"prescribed\"");
  // Names at the curves' ends, moved apart where they would overlap.
  std::ranges::sort(labels, {}, &Label::y);
  constexpr double line = 10;
  for (std::size_t k = 1; k < labels.size(); ++k) labels[k].y = std::max(labels[k].y, labels[k - 1].y + line);
  for (std::size_t k = labels.size(); k-- > 0;)
    labels[k].y = std::min(labels[k].y, k + 1 < labels.size() ? labels[k + 1].y - line : high - bottom + 4);
  for (const auto& label : labels) {
    auto name = chart.names[label.curve];
    if (name.size() > 14) name = name.substr(0, 13) + "…";
    svg += fmt::format("<text x=\"{}\" y=\"{:.1f}\" fill=\"{}\" class=\"name\">{}</text>", wide - right + 5,
                       label.y + 3, colour_of(label.curve), escaped(name));
  }
  return svg + "</svg></figure>";
}

std::string svg_scale(insitu::ColourMap map, double low, double high_, const Unit& unit) {
  constexpr double length = 320;
  constexpr int bands = 64;
  auto svg = fmt::format("<svg class=\"scale\" viewBox=\"0 0 {} 26\">", length + 60);
  for (int i = 0; i < bands; ++i) {
    const auto c = insitu::colour_of(map, (static_cast<float>(i) + 0.5F) / bands);
    const auto byte = [](float part) { return static_cast<int>(part * 255 + 0.5F); };
    svg += fmt::format("<rect x=\"{:.2f}\" y=\"0\" width=\"{:.2f}\" height=\"9\" fill=\"#{:02x}{:02x}{:02x}\"/>",
                       length * i / bands, length / bands + 0.4, byte(c[0]), byte(c[1]), byte(c[2]));
  }
  const double from = low / unit.si, to = high_ / unit.si;
  const auto axis = Axis::over(from, to, 5, false);
  for (double v = axis.every * std::ceil(from / axis.every - 1e-6); v <= to + 1e-6 * axis.every && to > from;
       v += axis.every) {
    const double x = length * (v - from) / (to - from);
    svg += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"9\" y2=\"12\" class=\"zero\"/><text x=\"{0:.1f}\" y=\"22\" "
        "text-anchor=\"{1}\">{2}</text>",
        x, x < 5 ? "start" : "middle", axis.text(v));
  }
  return svg + fmt::format("<text x=\"{}\" y=\"9\">{}</text></svg>", length + 6, unit.name);
}

std::string bar(double part, std::size_t colour) {
  if (!std::isfinite(part)) return "";
  return fmt::format("<span class=\"bar\"><i style=\"width:{:.1f}%;background:{}\"></i></span>",
                     100 * std::clamp(part, 0.0, 1.0), colour_of(colour));
}

}  // namespace weft::flow::summary
