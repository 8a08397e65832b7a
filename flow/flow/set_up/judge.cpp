// SPDX-License-Identifier: BSD-3-Clause
#include "flow/set_up/judge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "flow/run/speed.hpp"
#include "flow/scaling/scaling.hpp"
#include "flow/set_up/check.hpp"
#include "flow/vessel/vessel.hpp"
#include "program/readable.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::flow {

using program::bytes_text, program::clock_text, program::decimals, program::grouped, program::with_prefix;

namespace {

Verdict judge(const Case& c, const Scaling& scaling, double sites, bool exact, int ranks, double mlups) {
  Verdict result;
  const auto flow = estimate_flow(c);
  const auto steps = steps_of(c, scaling);
  const char* guess = flow.from_pressures ? "about " : "";
  const char* about = exact ? "" : "about ";
  const auto row = [&](const char* name, std::string value) { result.rows.emplace_back(name, std::move(value)); };
  row("voxel", with_prefix(scaling.dx, "m"));
  row("sites", exact ? grouped(std::llround(sites)) : about + grouped(std::llround(sites / 1000) * 1000));
  row("time step", with_prefix(scaling.dt, "s"));
  row("steps", fmt::format("{} ({})", grouped(steps), with_prefix(scaling.time(steps), "s")));
  row("peak speed", fmt::format("{}{}", guess, with_prefix(flow.peak_speed, "m/s")));
  row("Reynolds", fmt::format("{}{:.3g}", guess, reynolds(flow, scaling)));
  row("Mach", guess + decimals(mach(scaling.lattice_speed(flow.peak_speed)), 3));
  row("tau", decimals(scaling.tau(), 4));
  row("memory", about + bytes_text(sites * estimated_bytes_per_site(c)));
  if (mlups > 0)
    row("run time",
        fmt::format("about {} on {} rank{} ({:.3g} MLUPS)",
                    clock_text(static_cast<double>(steps) * sites / mlups / 1e6), ranks, ranks == 1 ? "" : "s", mlups));
  result.sites = sites;
  for (auto& finding : find_problems(c, scaling))
    (finding.refused ? result.refused : result.warnings).push_back(std::move(finding.text));
  return result;
}

}  // namespace

Verdict judge_quickly(const Case& c, double volume, int ranks, double mlups) {
  const auto scaling = make_scaling(c);
  return judge(c, scaling, volume / (scaling.dx * scaling.dx * scaling.dx), false, ranks, mlups);
}

Verdict judge_exactly(Case c, int ranks, double& mlups) {
  Verdict result;
  run_in_process(1, [&](Transport& alone) {
    const auto vessel = make_vessel(alone, c);
    mlups = ranks * measure_speed(alone, c, vessel);
    result = judge(c, vessel.scaling, static_cast<double>(vessel.setup.sites), true, ranks, mlups);
  });
  return result;
}

}  // namespace weft::flow
