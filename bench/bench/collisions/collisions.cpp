// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collisions/collisions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bench/collisions/square_flows.hpp"
#include "bench/collisions/tube_flow.hpp"

namespace weft::bench {

namespace {

Position period_of(const std::string& direction) {
  if (direction == "aligned") return {0, 0, 1};
  if (direction == "diagonal") return {1, 1, 0};
  return {1, 2, 4};
}

struct NamedVortices {
  const char* name;
  VortexFlow flow;
};
/// With nearly the same wavelength of 20 voxels.
const NamedVortices vortices[] = {{"along the axes", {20, 1, 0}}, {"along (2, 1)", {45, 2, 1}}};

/// The results and figures of one model.
class Comparison {
 public:
  Comparison(Report& report, const CollisionModel& model, const CollisionsOptions& options)
      : report_(report), model_(model), options_(options) {}

  void tube(const std::string& direction, const PeriodicTube& tube, double reynolds) {
    const auto e = errors_of(tube, model_, {.reynolds = reynolds, .radii_viscous = options_.quick ? 0.5 : 0.7});
    const auto flow = fmt::format("{} tube, Re {:g}", direction, reynolds);
    if (!counted(flow, e.is_stable())) return;
    percent(flow, "pressure drop", e.drop, drop_);
    percent(flow, "profile", e.profile, profile_);
  }
  void decay(const NamedVortices& vortices) {
    const double error = decay_error(model_, vortices.flow);
    const auto flow = fmt::format("vortices {}", vortices.name);
    if (counted(flow, !std::isnan(error))) percent(flow, "rate of decay", error, decay_);
  }
  void shear(double reynolds) {
    counted(fmt::format("shear layer, Re {:g}", reynolds), is_stable(model_, {.reynolds = reynolds}));
  }

  void figures() {
    auto name = model_.name;
    std::ranges::replace(name, '-', '_');
    for (const auto& [what, worst] : {std::pair{"drop", drop_}, {"profile", profile_}, {"decay", decay_}})
      if (worst >= 0) report_.figure(fmt::format("{}_{}_worst", name, what), worst);
    report_.figure(name + "_unstable", unstable_);
  }

 private:
  bool counted(const std::string& flow, bool stable) {
    if (stable) return true;
    ++unstable_;
    report_.note(fmt::format("{}: {} is unstable.", model_.name, flow));
    return false;
  }
  void percent(const std::string& flow, const std::string& what, double part, double& worst) {
    worst = std::max(worst, std::abs(part));
    report_.result(fmt::format("{}, {}: {}", model_.name, flow, what), {100 * part, 100 * part, 100 * part}, "%",
                   {.key = {{"model", model_.name}, {"flow", flow}, {"error", what}}});
  }

  Report& report_;
  const CollisionModel& model_;
  const CollisionsOptions& options_;
  double drop_ = -1, profile_ = -1, decay_ = -1;  // the worst errors; below 0: no stable flow
  int unstable_ = 0;
};

}  // namespace

void collisions(mpi::Communicator& world, const CollisionsOptions& given) {
  auto o = given;
  if (o.directions.empty())
    o.directions =
        o.quick ? std::vector<std::string>{"slanted"} : std::vector<std::string>{"slanted", "diagonal", "aligned"};
  if (o.reynolds.empty()) o.reynolds = o.quick ? std::vector<double>{400} : std::vector<double>{40, 400, 1000};
  if (o.quick) o.voxels = std::min(o.voxels, 10);
  Report report("collisions", world, o);
  report.setting("voxels", std::int64_t{o.voxels});
  if (world.rank() == 0)
    for (const auto& model : collision_models()) {
      if (!o.models.empty() && std::ranges::find(o.models, model.name) == o.models.end()) continue;
      Comparison comparison(report, model, o);
      for (const auto& direction : o.directions) {
        const PeriodicTube tube(period_of(direction), o.voxels / 2.0);
        for (const double reynolds : o.reynolds) comparison.tube(direction, tube, reynolds);
      }
      if (!o.quick) {
        for (const auto& v : vortices) comparison.decay(v);
        for (const double reynolds : {1e4, 1e5}) comparison.shear(reynolds);
      }
      comparison.figures();
    }
  report.finish(world);
}

}  // namespace weft::bench
