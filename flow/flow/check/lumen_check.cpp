// SPDX-License-Identifier: BSD-3-Clause
#include "flow/check/lumen_check.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <numeric>

namespace weft::flow {

namespace {

constexpr double square_mm = 1e6;
constexpr double much_wider = 1.5;    // than necessary
constexpr double reach_slack = 0.05;  // of its radius, plus a voxel: the reach of a disc's cut (geometry's Disc)

std::string radius_text(const Case& c, double metres) {
  return fmt::format("{:.4g}", 1.02 * metres / c.surface.metres_per_unit);
}

}  // namespace

std::vector<Finding> find_lumen_problems(const Case& c, const std::vector<geometry::Lumen>& lumens) {
  std::vector<Finding> findings;
  for (std::size_t k = 0; k < lumens.size() && k < c.openings.size(); ++k) {
    const auto& lumen = lumens[k];
    const auto& disc = c.openings[k].disc;
    if (!lumen.exists()) {
      findings.push_back(
          {true, fmt::format("The disc of opening '{}' cuts no lumen (there is none at its centre, or the disc is far "
                             "larger than the vessel). Correct its centre, normal or radius.",
                             disc.name)});
      continue;
    }
    const double disc_area = std::numbers::pi * disc.radius * disc.radius;
    if (!lumen.others.empty())
      findings.push_back(
          {false, fmt::format("Opening '{}' cuts {} more lumen{} ({:.4g} mm^2) beside the one of {:.4g} mm^2 at its "
                              "centre (a prescribed flow enters only through the lumen at the centre, a pressure acts "
                              "in all). Set its radius to {}, or move its centre.",
                              disc.name, lumen.others.size(), lumen.others.size() == 1 ? "" : "s",
                              square_mm * std::accumulate(lumen.others.begin(), lumen.others.end(), 0.0),
                              square_mm * lumen.area, radius_text(c, lumen.reach))});
    else if (disc.radius > much_wider * lumen.reach + c.surface.voxel)
      findings.push_back(
          {false, fmt::format("The disc of opening '{}' has {:.4g} mm^2, the lumen there {:.4g} mm^2 (a disc much "
                              "larger than the lumen may cut neighbouring lumens). Set its radius to {}.",
                              disc.name, square_mm * disc_area, square_mm * lumen.area, radius_text(c, lumen.reach))});
    if (lumen.reach > (1 + reach_slack) * disc.radius + c.surface.voxel)
      findings.push_back(
          {false, fmt::format("The disc of opening '{}' has {:.4g} mm^2, the lumen there {:.4g} mm^2 (fluid can pass "
                              "around a disc that is smaller than the lumen). Set its radius to {}.",
                              disc.name, square_mm * disc_area, square_mm * lumen.area, radius_text(c, lumen.reach))});
  }
  return findings;
}

}  // namespace weft::flow
