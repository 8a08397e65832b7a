// SPDX-License-Identifier: BSD-3-Clause
#include "flow/run/speed.hpp"

#include <time.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include "program/memory.hpp"
#include "program/scratch_folder.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {
namespace {

constexpr double coarse_sites = 2e4;  // per rank
constexpr double trial_seconds = 4;
constexpr double quick_probe = 0.01;  // s
constexpr int probes_tried = 5;
constexpr std::int64_t warm_up = 16;  // steps, which touch memory for the first time

/// CPU time of this thread, s.
double core_seconds() {
  timespec t{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Number of times that an output at this interval is written, including the end.
double times_done(std::int64_t steps, std::int64_t interval) {
  return interval > 0 ? std::floor(static_cast<double>(steps - 1) / static_cast<double>(interval)) + 1 : 1;
}

}  // namespace

StepTimes measure_steps(Transport& transport, const Case& c, const Vessel& vessel, double probe_seconds) {
  auto lattice = make_trial_lattice(transport, vessel, c);
  double own = 0;  // CPU time of this rank, without waits for others
  const auto step = [&] {
    const double from = core_seconds();
    lattice.update_edge(lattice::Diagnostics::nothing);
    lattice.update_interior(0, lattice.interior_sites(), lattice::Diagnostics::nothing);
    lattice.finish();
    own += core_seconds() - from;
  };
  step();  // warm-up: touches memory for the first time
  double from = now_seconds();
  step();
  const double one = all_reduce(transport, now_seconds() - from, maximum<double>());
  const auto steps = 2 * static_cast<int>(std::clamp(std::ceil(0.5 * probe_seconds / one), 1.0, 500.0));
  std::vector<Probe> probes;
  for (int p = 0; p < probes_tried; ++p) {
    barrier(transport);
    own = 0, from = now_seconds();
    for (int i = 0; i < steps; ++i) {
      step();
      barrier(transport);  // as a run's steps wait for the slowest rank
    }
    const double seconds = all_reduce(transport, now_seconds() - from, maximum<double>());
    probes.push_back({seconds / steps, all_reduce(transport, own, maximum<double>()) / steps});
  }
  return step_times_of(probes);
}

double measure_speed(Transport& transport, const Case& c, const Vessel& vessel) {
  return 1e-6 * static_cast<double>(vessel.setup.sites) / measure_steps(transport, c, vessel, quick_probe).usual;
}

double load_of_a_core(Transport& transport) {
  double load = 0;
  const long cores = ::sysconf(_SC_NPROCESSORS_ONLN);
  if (::getloadavg(&load, 1) != 1 || cores < 1) load = 0;
  return all_reduce(transport, load / static_cast<double>(std::max(cores, 1L)), maximum<double>());
}

double measure_speed_coarsely(Transport& transport, const Case& c, const VesselShape& shape) {
  if (c.surface.is_gmy() || !(shape.volume > 0)) return 0;
  Case coarse = c;
  const double wanted = std::cbrt(shape.volume / coarse_sites / transport.size());
  if (!(wanted > 0) || !std::isfinite(wanted)) return 0;
  coarse.surface.voxel = std::max(wanted, c.surface.voxel);
  coarse.lattice.time_step.reset();
  VesselShape own = shape;
  try {
    return measure_speed(transport, coarse, make_vessel(transport, coarse, std::move(own)));
  } catch (const Error& e) {
    if (!e.everywhere()) throw;
    return 0;
  }
}

Measurement measure_run(mpi::Communicator& world, const Case& c, const Vessel& vessel, RunOptions options) {
  const auto& s = vessel.scaling;
  const auto steps = steps_of(c, s);
  const auto alone = measure_steps(world, c, vessel);
  const auto tried = std::clamp<std::int64_t>(std::llround(trial_seconds / alone.usual / 16) * 16, 32, 4096) + warm_up;
  const program::ScratchFolder folder(world, "measure");
  Case trial = c;
  trial.run.duration.reset();
  trial.run.steps = tried;
  trial.run.until_periodic = false;
  trial.output.directory = folder.path();
  trial.monitor.tolerance = 0;
  const auto at_the_end_only = [](Every& every) { every.every_steps = 0, every.every_seconds.reset(); };
  at_the_end_only(trial.output);
  for (auto& extract : trial.extracts) at_the_end_only(extract);
  trial.output.pictures = trial.output.summary = false;
  const auto checkpoints = steps_between(c.checkpoint, s), pictures = picture_interval(c, s);
  trial.checkpoint.every_seconds.reset();
  trial.checkpoint.every_steps = checkpoints > 0 ? tried : 0;
  trial.pictures.every_seconds.reset();
  trial.pictures.every_steps = pictures > 0 ? (tried - warm_up) / 2 : 0;

  options.settings = {.quiet = true};
  options.onlooker = {};
  options.steering = {};
  std::vector<double> ends;
  ends.reserve(static_cast<std::size_t>(tried));
  options.hooks = {};
  options.hooks.after_step = [&](std::int64_t) { ends.push_back(now_seconds()); };
  const auto result = run(world, trial, vessel, options);

  Measurement m;
  m.steps = tried;
  // The last step includes the writing of files, so it is excluded.
  const auto last = ends.size() - 2, first = static_cast<std::size_t>(warm_up) - 1;
  std::vector<Probe> probes;
  for (std::size_t p = 0; p < probes_tried; ++p) {
    const auto begin = first + p * (last - first) / probes_tried, end = first + (p + 1) * (last - first) / probes_tried;
    const double one = (ends[end] - ends[begin]) / static_cast<double>(end - begin);
    probes.push_back({all_reduce(world, one, maximum<double>()), 0});
  }
  m.step = step_times_of(probes);
  m.step.quick *= std::max(alone.core_share(), 1.0 / probes_tried);  // waiting for messages also uses CPU time
  if (pictures > 0) {  // count pictures at the run's interval, not at the trial's
    const double all = all_reduce(world, result.pictures.seconds, maximum<double>());
    const auto made = static_cast<double>(std::max<std::int64_t>(result.pictures.pictures, 1));
    const double one = all / made, of_window = one * std::max(0.0, made - 1) / static_cast<double>(last - first);
    for (double* seconds : {&m.step.quick, &m.step.usual, &m.step.slow})
      *seconds = std::max(*seconds - of_window, 0.5 * *seconds);
    m.files_seconds += one * times_done(steps, pictures);
  }
  std::int64_t often = steps_between(c.output, s);
  for (const auto& extract : c.extracts)
    if (const auto interval = steps_between(extract, s); interval > 0)
      often = often > 0 ? std::min(often, interval) : interval;
  if (checkpoints > 0) often = often > 0 ? std::min(often, checkpoints) : checkpoints;
  const double files = all_reduce(world, ends[last + 1] - ends[last], maximum<double>()) - m.step.usual;
  m.files_seconds += std::max(0.0, files) * times_done(steps, often);
  m.peak_bytes = static_cast<double>(all_reduce(world, program::resident_memory().most, sum<std::int64_t>()));
  return m;
}

}  // namespace weft::flow
