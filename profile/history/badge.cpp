// SPDX-License-Identifier: BSD-3-Clause
#include "history/badge.hpp"

#include <fmt/format.h>

#include "history/series.hpp"
#include "run/report/text.hpp"

namespace weft::history {

std::string badge_of(const run::PastRun& run) {
  const auto& overlap = run.regions.front().overlap;
  const auto name = run::escaped(run::cut_end(command_of(run), 100));
  const auto value = overlap ? run::percent(*overlap) : "unknown";
  // Dark enough for white text.
  const auto* colour = !overlap ? "#5f6b76" : *overlap >= 0.6 ? "#087a56" : *overlap >= 0.3 ? "#8a6100" : "#b34a00";
  const int left = 58, right = 14 + 7 * static_cast<int>(value.size());
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"20\" role=\"img\" aria-label=\"overlap of {7}: "
      "{1}\">"
      "{8}<title>overlap of {7}: {1}</title><clipPath id=\"r\"><rect width=\"{0}\" height=\"20\" rx=\"3\"/></clipPath>"
      "<g clip-path=\"url(#r)\"><rect width=\"{2}\" height=\"20\" fill=\"#444c54\"/><rect x=\"{2}\" width=\"{3}\" "
      "height=\"20\" fill=\"{4}\"/></g><g fill=\"#fff\" text-anchor=\"middle\" font-family=\"Verdana,DejaVu "
      "Sans,sans-serif\" font-size=\"11\"><text x=\"{5}\" y=\"14\">overlap</text><text x=\"{6}\" "
      "y=\"14\">{1}</text></g></svg>\n",
      left + right, run::escaped(value), left, right, colour, left / 2, left + right / 2, name, badge_mark);
}

}  // namespace weft::history
