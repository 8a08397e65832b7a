// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "flow/summary/history.hpp"
#include "flow/summary/text.hpp"
#include "insitu/scene.hpp"

namespace weft::flow::summary {

/// Colours of Okabe and Ito, which colour-blind people can distinguish.
const char* colour_of(std::size_t number);

/// Curves over time with their names at their ends, as SVG.
struct LineChart {
  std::string title;  ///< plain text
  Unit unit{};
  std::vector<std::string> names{};
  std::vector<Curve> curves{};
  std::vector<double> signs{};      ///< factor of each curve; empty: 1
  std::vector<Curve> prescribed{};  ///< dashed, beside the curve of the same number; may be empty
};
std::string svg_of(const LineChart& chart);

/// The colour scale of a map, as SVG.
std::string svg_scale(insitu::ColourMap map, double low, double high, const Unit& unit);

/// A bar of this fraction, for a table's cell.
std::string bar(double part, std::size_t colour);

}  // namespace weft::flow::summary
