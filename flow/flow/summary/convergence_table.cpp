// SPDX-License-Identifier: BSD-3-Clause
#include "flow/summary/convergence_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "program/readable.hpp"
#include "weft/file/whole_file.hpp"

namespace weft::flow {

namespace {

/// Solves r21^p (r32^p - 1) / (r21^p - 1) = e32 / e21, the ratio of the differences, for the order p: Celik's equations
/// (3), iterated from below. Steps are scaled so that the iteration converges for all ratios of voxels; for equal
/// ratios they are full steps. None: no positive order fits.
std::optional<double> apparent_order(double ratio_of_differences, double r21, double r32) {
  const double unequal = std::log(r32) / std::log(r21);
  if (!(ratio_of_differences > unequal)) return {};  // the left side at p = 0, from where it grows with p
  const double part = 2 / (1 + unequal);
  double p = 1e-3;
  constexpr int most = 10000;
  for (int k = 0; k < most; ++k) {
    const double q = std::log((std::pow(r21, p) - 1) / (std::pow(r32, p) - 1));
    const double step = part * ((std::log(ratio_of_differences) + q) / std::log(r21) - p);
    p += step;
    if (!(p > 0)) return {};
    if (std::abs(step) < 1e-12 * p) return p;
  }
  return {};
}

}  // namespace

GridConvergence grid_convergence(std::span<const double> results, std::span<const double> voxels) {
  using Outcome = GridConvergence::Outcome;
  const double finest = results[0], e21 = results[1] - finest, r21 = voxels[1] / voxels[0];
  const double small = GridConvergence::equal_within * std::abs(finest);
  const bool is_three = results.size() > 2;
  const double e32 = is_three ? results[2] - results[1] : 0;
  if (std::abs(e21) <= small && std::abs(e32) <= small)
    return {.outcome = Outcome::equal, .extrapolated = finest, .index = 0};

  GridConvergence found{.outcome = Outcome::monotone, .order = GridConvergence::formal_order};
  // If only the two finer results agree, the order can't be determined; the formal order gives an index close to 0.
  if (is_three && std::abs(e21) > small) {
    if (e32 / e21 < 0) return {.outcome = Outcome::oscillatory};
    const auto order = apparent_order(e32 / e21, r21, voxels[2] / voxels[1]);
    if (!order || *order < GridConvergence::least_order)
      return {.outcome = Outcome::diverging, .apparent_order = order.value_or(GridConvergence::unknown)};
    found.apparent_order = *order;
    found.order = std::min(*order, GridConvergence::formal_order);
  }
  const double left = e21 / (std::pow(r21, found.order) - 1);
  found.extrapolated = finest - left;
  found.index =
      (is_three ? GridConvergence::factor_of_three : GridConvergence::factor_of_two) * std::abs(left / finest);
  return found;
}

using Outcome = GridConvergence::Outcome;

void ConvergenceTable::judge() {
  std::vector<double> voxels;
  for (const auto& size : sizes) voxels.push_back(size.voxel);
  for (std::size_t k = 0; k < sizes.front().values.size(); ++k) {
    const auto& finest = sizes.front().values[k];
    Row row{finest.name, finest.unit};
    for (const auto& size : sizes) row.values.push_back(size.values.at(k).value);
    if (!std::ranges::all_of(row.values, [](double value) { return std::isfinite(value); })) continue;
    row.convergence = grid_convergence(row.values, voxels);
    rows.push_back(std::move(row));
  }
}

std::string ConvergenceTable::doubt() const {
  constexpr double steady = 0.01, part = 0.1;
  double most = 0;  // over all sizes: change of the velocity in a tenth of the run
  for (const auto& size : sizes) most = std::fmax(most, size.relative_change * part * static_cast<double>(size.steps));
  if (is_of_a_beat || !(most > steady)) return {};
  return fmt::format(
      "The flow is not steady (at the end the velocity changes by {:.2g} % in a tenth of the run, which counts as a "
      "difference between voxels). Increase run.duration, or set monitor.tolerance.",
      100 * most);
}

ConvergenceCells cells_of(const ConvergenceTable::Row& row) {
  const auto& c = row.convergence;
  ConvergenceCells cells{"-", "-", outcome_names.of(c.outcome)};
  if (!std::isnan(c.apparent_order)) cells.order = fmt::format("{:.2f}", c.apparent_order);
  if (!c.is_known()) return cells;
  cells.extrapolated = fmt::format("{:.4g}", c.extrapolated);
  cells.index = c.index > 1 ? "> 100 %" : fmt::format("{:.2g} %", 100 * c.index);
  return cells;
}

std::string ConvergenceTable::text() const {
  std::size_t width = 8;
  for (const auto& row : rows) width = std::max(width, row.name.size());
  const bool is_three = sizes.size() > 2;
  auto text = fmt::format("grid convergence, {}\n  {:<{}}  {:<6}",
                          is_of_a_beat ? "means over the last beat" : "at the end", "quantity", width, "unit");
  for (auto size = sizes.rbegin(); size != sizes.rend(); ++size)
    text += fmt::format("{:>12}", program::with_prefix(size->voxel, "m"));
  text += fmt::format("{:>14}{:>8}{:>14}\n", "extrapolated", "order", "GCI");
  for (const auto& row : rows) {
    text += fmt::format("  {:<{}}  {:<6}", row.name, width, row.unit);
    for (auto value = row.values.rbegin(); value != row.values.rend(); ++value)
      text += fmt::format("{:>12.4g}", *value);
    const auto cells = cells_of(row);
    text += fmt::format("{:>14}{:>8}{:>14}\n", cells.extrapolated, cells.order, cells.index);
  }
  text += fmt::format("  GCI: of the finest voxel, safety factor {}{}.\n",
                      is_three ? GridConvergence::factor_of_three : GridConvergence::factor_of_two,
                      is_three ? "; an order above 2 counts as 2" : "; two voxel sizes give no order: 2 is assumed");
  const auto has = [&](Outcome outcome) {
    return std::ranges::any_of(rows, [&](const auto& row) { return row.convergence.outcome == outcome; });
  };
  if (has(Outcome::oscillatory)) text += "  oscillatory: the value rises and falls with the voxel, so no order fits.\n";
  if (has(Outcome::diverging))
    text +=
        "  diverging: the difference does not decrease with the voxel, or only with an order below 0.5. Use finer "
        "voxels.\n";
  if (const auto why = doubt(); !why.empty()) text += "  " + why + "\n";
  return text;
}

void ConvergenceTable::write_json(const std::filesystem::path& file, const Case& c) const {
  using nlohmann::json;
  json document = {
      {"case", c.file.string()},
      {"title", c.title},
      {"of", is_of_a_beat ? "last_beat" : "end"},
      {"safety_factor", sizes.size() > 2 ? GridConvergence::factor_of_three : GridConvergence::factor_of_two},
      {"sizes", json::array()},
      {"quantities", json::array()}};
  for (const auto& size : sizes)
    document["sizes"].push_back({{"name", size.name},
                                 {"folder", size.folder.string()},
                                 {"voxel_m", size.voxel},
                                 {"time_step_s", size.time_step},
                                 {"voxels_across_narrowest", size.voxels},
                                 {"sites", size.sites},
                                 {"steps", size.steps},
                                 {"seconds", size.seconds},
                                 {"relative_change", size.relative_change}});
  for (const auto& row : rows) {
    const auto& g = row.convergence;
    document["quantities"].push_back({{"name", row.name},
                                      {"unit", row.unit},
                                      {"values", row.values},
                                      {"outcome", outcome_names.of(g.outcome)},
                                      {"apparent_order", g.apparent_order},
                                      {"order", g.order},
                                      {"extrapolated", g.extrapolated},
                                      {"gci", g.index}});
  }
  WholeFile out(file);
  out.stream() << document.dump(2, ' ', false, json::error_handler_t::replace) << "\n";
  out.finish();
}

}  // namespace weft::flow
