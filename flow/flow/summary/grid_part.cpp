// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>

#include "flow/summary/sections.hpp"

namespace weft::flow::summary {

std::string grid_part(const Page& page) {
  if (!page.facts.grid_convergence) return "";
  const auto& table = *page.facts.grid_convergence;
  std::string head = "<tr><th class=\"l\">quantity</th>", rows;
  for (auto size = table.sizes.rbegin(); size != table.sizes.rend(); ++size)
    head += fmt::format("<th>{}&nbsp;mm</th>", digits(1e3 * size->voxel, 4));
  head += "<th>extrapolated</th><th>apparent order</th><th>GCI</th></tr>";
  for (const auto& row : table.rows) {
    rows += fmt::format("<tr><td class=\"l\">{}, {}</td>", escaped(row.name), row.unit);
    for (auto value = row.values.rbegin(); value != row.values.rend(); ++value)
      rows += "<td>" + digits(*value, 4) + "</td>";
    const auto cells = cells_of(row);
    rows += fmt::format("<td>{}</td><td>{}</td><td>{}</td></tr>", cells.extrapolated, cells.order, cells.index);
  }
  const auto doubt = table.doubt();
  return fmt::format(
      "<section><h2>Grid convergence</h2><table>{}{}</table><p class=\"quiet sub\">{}. GCI: grid convergence index of "
      "the finest voxel (Roache 1994; Celik et al. 2008).</p>{}</section>\n",
      head, rows, table.is_of_a_beat ? "Means over the last beat" : "Values at the end of each run",
      doubt.empty() ? "" : "<p class=\"warn\">" + doubt + "</p>");
}

}  // namespace weft::flow::summary
