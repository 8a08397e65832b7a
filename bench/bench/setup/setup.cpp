// SPDX-License-Identifier: BSD-3-Clause
#include "bench/setup/setup.hpp"

#include <cmath>
#include <string>
#include <vector>

#include "bench/workload/vessels.hpp"
#include "flow/case/case.hpp"
#include "flow/vessel/vessel.hpp"
#include "program/memory.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {

namespace {

// Memory of the lattice, to which set-up is compared: one array of populations and a quarter of it.
constexpr double lattice_bytes_per_site = 1.25 * 19 * sizeof(double);

// The voxel for about so many sites, from the volume found with the case's own voxel.
double voxel_for(Transport& transport, flow::Case c, std::int64_t sites) {
  const auto coarse = flow::make_vessel(transport, c).setup.sites;
  return c.surface.voxel * std::cbrt(static_cast<double>(coarse) / static_cast<double>(sites));
}

}  // namespace

void setup(Transport& transport, const SetupBenchOptions& options) {
  Report report("setup", transport, options);
  auto c = given_case(transport, options.case_file, options);
  const bool sized = options.sites > 0 && !c.surface.is_gmy();
  if (sized) c.surface.voxel = voxel_for(transport, c, options.sites);
  const int repeats = options.repeats > 0 ? options.repeats : options.quick ? 3 : 7;

  std::vector<double> seconds, voxelise, decompose, bytes, before;
  std::int64_t sites = 0, cuts = 0;
  for (int i = 0; i < repeats; ++i) {
    program::restart_peak_memory();
    const auto resident = all_reduce(transport, program::resident_memory().now, sum<std::int64_t>());
    const auto vessel = flow::make_vessel(transport, c);
    sites = vessel.setup.sites;
    cuts = all_reduce(transport, static_cast<std::int64_t>(vessel.domain.cuts.size()), sum<std::int64_t>());
    seconds.push_back(vessel.setup_seconds);
    voxelise.push_back(vessel.setup.voxelise_seconds);
    decompose.push_back(vessel.setup.decompose_seconds);
    bytes.push_back(vessel.setup_bytes_per_site());
    before.push_back(static_cast<double>(resident) / static_cast<double>(sites));
  }
  const auto all_seconds = spread_of(seconds), all_bytes = spread_of(bytes);
  report.setting("case", options.case_file.string());
  report.setting("sites", sites);
  report.setting("voxel_m", c.surface.voxel);
  report.setting("cuts_per_site", static_cast<double>(cuts) / static_cast<double>(sites));
  report.setting("repeats", repeats);
  report.result("set-up", all_seconds, "s");
  report.result("voxelise", spread_of(voxelise), "s");
  report.result("decompose", spread_of(decompose), "s");
  if (all_bytes.median > 0) {
    report.result("peak memory, all ranks", all_bytes, "B/site");
    report.result("memory before set-up", spread_of(before), "B/site");
    report.figure("setup_bytes_per_site", all_bytes);
    report.figure("setup_over_lattice", all_bytes.median / lattice_bytes_per_site);
  } else {
    report.note("There are no memory results (this system does not report the peak memory of a process).");
  }
  if (options.sites > 0 && !sized) report.note("--sites has no effect (the sites of a .gmy file are fixed).");
  constexpr double the_target = 5e6;
  const bool of_that_size = std::abs(static_cast<double>(sites) / the_target - 1) < 0.05;
  report.figure(of_that_size ? "setup_seconds_5m" : "setup_seconds", all_seconds);
  report.finish(transport);
}

}  // namespace weft::bench
