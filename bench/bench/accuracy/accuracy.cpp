// SPDX-License-Identifier: BSD-3-Clause
#include "bench/accuracy/accuracy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "bench/accuracy/tube_run.hpp"

namespace weft::bench {

namespace {

constexpr int usual_voxels = 14;
constexpr double fast = 386, womersley = 5;

geometry::Vector axis_of(const std::string& name) {
  if (name == "aligned") return {0, 0, 1};
  if (name == "diagonal") return {1, 1, 0};
  return {1, 2, 4};
}

Spread one(double value) { return {value, value, value}; }

/// The order p of error = c / voxels^p, by least squares.
double order_of(const std::map<int, double>& errors) {
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (const auto& [voxels, error] : errors) {
    const double a = std::log(static_cast<double>(voxels)), b = std::log(error);
    n += 1, x += a, y += b, xx += a * a, xy += a * b;
  }
  return -(n * xy - x * y) / (n * xx - x * x);
}

}  // namespace

void accuracy(mpi::Communicator& world, const AccuracyOptions& given) {
  auto o = given;
  if (o.axes.empty())
    o.axes = o.quick ? std::vector<std::string>{"slanted"} : std::vector<std::string>{"slanted", "diagonal", "aligned"};
  if (o.reynolds.empty()) o.reynolds = o.quick ? std::vector<double>{40, fast} : std::vector<double>{40, fast, 1000};
  if (o.voxels.empty())
    o.voxels = o.quick ? std::vector<int>{10, usual_voxels} : std::vector<int>{10, usual_voxels, 20};
  std::ranges::sort(o.reynolds);
  Report report("accuracy", world, o);
  report.setting("womersley", womersley);
  for (const auto& change : o.changes) report.setting("set", change);
  const auto percent = [&](const std::string& what, double part) { report.result(what, one(100 * part), "%"); };
  std::map<int, double> rms;  // of the slanted tube at the lowest Reynolds number
  double worst_mean = 0, worst_rms = 0, worst_drop = 0;
  for (const auto& axis : o.axes)
    for (const double reynolds : o.reynolds)
      for (const int voxels : o.voxels) {
        if (o.quick && reynolds > o.reynolds.front() && voxels != usual_voxels) continue;
        const auto e = run_steady(world, {axis_of(axis), reynolds, voxels, o.changes});
        const auto of = fmt::format("{}, Re {:g}, {} voxels: ", axis, reynolds, voxels);
        percent(of + "mean wall shear stress", e.stress_mean);
        percent(of + "wall shear stress, each site", e.stress_rms);
        percent(of + "pressure drop", e.drop);
        if (axis == "slanted" && reynolds == o.reynolds.front()) rms[voxels] = e.stress_rms;
        if (voxels != usual_voxels) continue;
        worst_mean = std::max(worst_mean, std::abs(e.stress_mean));
        worst_rms = std::max(worst_rms, e.stress_rms);
        worst_drop = std::max(worst_drop, std::abs(e.drop));
        if (axis == "slanted" && reynolds == o.reynolds.front()) {
          report.figure("wss_error_14", std::abs(e.stress_mean));
          report.figure("wss_rms_14", e.stress_rms);
        }
        if (axis == "slanted" && reynolds == fast) report.figure("drop_error_14_re386", std::abs(e.drop));
      }
  if (rms.size() > 1) report.figure("wss_order", order_of(rms));
  report.figure("worst_wss_error_14", worst_mean);
  report.figure("worst_wss_rms_14", worst_rms);
  report.figure("worst_drop_error_14", worst_drop);
  for (const auto& axis : o.axes) {
    const auto e = run_pulse(world, {axis_of(axis), o.reynolds.front(), usual_voxels, o.changes}, womersley);
    percent(fmt::format("{}, pulse: amplitude of the wall shear stress", axis), e.amplitude);
    report.result(fmt::format("{}, pulse: phase lag", axis), one(e.degrees), "degrees");
    if (axis == "slanted") {
      report.figure("womersley_peak_error", std::abs(e.amplitude));
      report.figure("womersley_phase_degrees", std::abs(e.degrees));
    }
  }
  report.finish(world);
}

}  // namespace weft::bench
