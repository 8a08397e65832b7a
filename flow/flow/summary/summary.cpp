// SPDX-License-Identifier: BSD-3-Clause
#include "flow/summary/summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "flow/case/case.hpp"
#include "flow/summary/sections.hpp"
#include "weft/file/whole_file.hpp"

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

namespace weft::flow {

namespace summary {
namespace {

// A plain style that prints on one sheet of A4.
constexpr const char* style = R"(
@page{size:A4;margin:11mm 12mm}
*{box-sizing:border-box}
body{font:13px/1.4 "Helvetica Neue",Helvetica,Arial,"Liberation Sans",sans-serif;color:#1c2733;background:#eef1f4;margin:0;
 font-variant-numeric:tabular-nums;-webkit-print-color-adjust:exact;print-color-adjust:exact}
main{max-width:920px;margin:24px auto;background:#fff;padding:30px 36px;box-shadow:0 1px 6px #0002}
h1{font-size:23px;line-height:1.2;margin:0;letter-spacing:-.01em;overflow-wrap:anywhere}
h2{font-size:11px;letter-spacing:.07em;text-transform:uppercase;color:#0072B2;margin:18px 0 6px;padding-bottom:3px;border-bottom:1px solid #d5dce3}
p{margin:4px 0}.quiet,figcaption,.sub{color:#5b6875}.sub{font-size:12px;margin-top:3px}
.tiles{display:grid;grid-template-columns:repeat(4,1fr);gap:10px;margin-top:14px}
.tile{background:#f4f7f9;border-left:3px solid #0072B2;padding:7px 10px}.tile b{display:block;font-size:19px;font-weight:600;line-height:1.25}
.tile span{display:block;font-size:11px;color:#5b6875}
.two{display:grid;grid-template-columns:minmax(0,1fr) minmax(0,1fr);gap:0 26px}
table{border-collapse:collapse;width:100%;font-size:12px}
th{font-weight:600;color:#5b6875;text-align:right;padding:2px 0 3px 10px;border-bottom:1px solid #9aa7b3;vertical-align:bottom;font-size:11px}
td{text-align:right;padding:3px 0 3px 10px;border-bottom:1px solid #e6eaee;vertical-align:top;white-space:nowrap}
th.l,td.l{text-align:left;padding-left:0;padding-right:8px}td.w{white-space:normal}tr.in td{background:#f7f9fb}tr.now td{font-weight:600}
td.s,th.s{text-align:left}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:2px 12px;margin:0;font-size:12px}dt{color:#5b6875}dd{margin:0;overflow-wrap:anywhere}
.bar{display:inline-block;width:96px;height:8px;background:#e9edf1;vertical-align:middle;margin-right:2px}.bar i{display:block;height:8px}
figure{margin:0}figcaption{font-size:11px;text-align:center}.maps{display:grid;grid-template-columns:1fr 1fr;gap:10px 26px}
.map h3{font-size:11px;font-weight:600;margin:0 0 3px;text-align:center}.map div{display:grid;grid-template-columns:1fr 1fr;gap:0 8px}
.map img{display:block;width:100%;max-height:260px;object-fit:contain}
details{margin:4px 0;font-size:12px}summary{cursor:pointer;color:#5b6875}
svg{display:block;width:100%;overflow:visible;font-size:9px;fill:#33414f}svg .head{font-size:10.5px;font-weight:600}svg .name{font-size:9.5px;font-weight:600}
svg .quiet{fill:#5b6875}svg line{stroke-width:.7}svg .grid{stroke:#e1e6eb}svg .zero{stroke:#8793a0}svg polyline{fill:none;stroke-width:1.6}
svg .prescribed{stroke-width:2.6;stroke-dasharray:2.5 4;opacity:.55}
svg.scale rect{shape-rendering:crispEdges}svg.scale{width:min(100%,420px);margin:6px auto 0}
.warn{border-left:3px solid #D55E00;background:#fdf4ee;padding:5px 10px;margin:4px 0;font-size:12px;overflow-wrap:anywhere}
footer{margin-top:16px;padding-top:6px;border-top:1px solid #d5dce3;font-size:11px;color:#5b6875}
@media print{body{background:#fff;font-size:9.5px;line-height:1.25}main{margin:0;padding:0;max-width:none;box-shadow:none}h1{font-size:17px}
 h2{margin:7px 0 2px;font-size:9px;padding-bottom:1px}p{margin:2px 0}.sub{margin-top:2px}.tiles{margin-top:6px}.tile{padding:3px 8px}.tile b{font-size:14px}
 .tile span{font-size:8.5px}table,dl,.warn{font-size:9px}dl{gap:0 10px}th,.sub,figcaption,footer{font-size:8.5px}th{padding:0 0 2px 8px}td{padding:1px 0 1px 8px}
 .map img{max-height:var(--map)}.maps{gap:3px 18px}.map h3{font-size:8.5px;margin:0}svg.scale rect{shape-rendering:crispEdges}svg.scale{width:300px;margin-top:2px}.two figure{padding:0 24px}section{break-inside:avoid}.warn{margin:2px 0;padding:2px 8px}
 footer{margin-top:5px;padding-top:3px}}
@media screen and (max-width:700px){main{margin:0;padding:16px 14px}.tiles{grid-template-columns:1fr 1fr}
 .two,.maps{grid-template-columns:minmax(0,1fr)}section{overflow-x:auto}td.w{min-width:150px}}
@media screen and (prefers-color-scheme:dark){body{background:#12171c;color:#dbe2e9}main{background:#1b2229;box-shadow:none}
 .quiet,figcaption,.sub,.tile span,th,dt,summary,footer{color:#9fb0bf}h2{color:#56B4E9;border-color:#36424d}.tile{background:#242d36}
 th{border-color:#5b6875}td{border-color:#2c3640}tr.in td{background:#212a32}.bar{background:#36424d}.warn{background:#2e231c}footer{border-color:#36424d}
 svg{fill:#c5d0da}svg .quiet{fill:#9fb0bf}svg .grid{stroke:#323d47}svg .zero{stroke:#7c8a97}
 .map{background:#fff;color:#1c2733;padding:8px}.map figcaption{color:#5b6875}.map svg{fill:#33414f}}
)";

PageUnits units_for(const History& history) {
  PageUnits units;
  const auto* told = history.told();
  if (told == nullptr) return units;
  double pressure = 0;
  for (const auto& o : told->openings) pressure = std::fmax(pressure, std::abs(o.pressure));
  if (told->inflow > 2000 * ml_per_min) units.flow = {1000 * ml_per_min, "l/min"};
  if (told->inflow < 1 * ml_per_min) units.flow = {1e-3 * ml_per_min, "µl/min"};
  if (pressure > 0.1 * mmhg) units.pressure = {mmhg, "mmHg"};
  return units;
}

/// Height of maps in print, so that all fits on one sheet.
int map_millimetres(const Page& page) {
  const int openings = static_cast<int>(page.c.openings.size());
  const int room = std::clamp(56 - 4 * openings, 30, 46);
  return page.result.wall_maps.size() > 2 ? room * 2 / 5 : room;
}

}  // namespace
}  // namespace summary

void write_summary(const std::filesystem::path& file, const Case& c, const Vessel& vessel, const RunResult& result,
                   const SummaryFacts& facts) {
  using namespace summary;
  Page page{.c = c, .vessel = vessel, .result = result, .facts = facts};
  const auto inlet =
      std::ranges::find(c.openings, geometry::Opening::Kind::inlet, [](const auto& o) { return o.disc.kind; });
  page.root = inlet == c.openings.end() ? std::size_t{0} : static_cast<std::size_t>(inlet - c.openings.begin());
  page.history = read_history({.stem = c.output.directory / "monitors",
                               .columns = monitor_columns(monitored_names(c)),
                               .openings = c.openings.size(),
                               .root = page.root,
                               .period = common_period(c).value_or(0),
                               .row_seconds = vessel.scaling.time(c.monitor.every),
                               .end_s = vessel.scaling.time(result.steps)});
  page.units = units_for(page.history);
  WholeFile out(file);
  out.stream() << "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
                  "content=\"width=device-width,initial-scale=1\">"
               << "<title>" << escaped(c.title) << "</title><style>" << style
               << fmt::format("\n:root{{--map:{}mm}}", map_millimetres(page)) << "</style></head>\n<body><main>\n"
               << head_part(page) << "<div class=\"two\">" << vessel_part(page) << solver_part(page) << "</div>\n"
               << openings_part(page) << flow_part(page) << wall_part(page) << grid_part(page) << curves_part(page)
               << "<div class=\"two\">" << convergence_part(page) << overlap_part(page) << "</div>\n"
               << warnings_part(page) << "</main></body></html>\n";
  out.finish();
}

}  // namespace weft::flow
