// SPDX-License-Identifier: BSD-3-Clause
#include "flow/simulation.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>

#include "flow/checkpoint.hpp"
#include "flow/lattice_client.hpp"
#include "program/progress_bar.hpp"
#include "program/series.hpp"
#include "flow/vtkhdf.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {

using namespace program;
namespace {

// Which steps end with an output, and what each gathers. The change of the velocity needs the fields, which cost a tenth of a
// step, so it is asked for every 16th step at most.
struct Calendar {
  std::int64_t steps, monitor_every, output_every;
  bool convergence;

  bool is_output(std::int64_t step) const {
    return step == steps - 1 || (output_every > 0 && (step + 1) % output_every == 0);
  }
  lattice::Look look(std::int64_t step) const {
    const auto fields_every = monitor_every * ((15 + monitor_every) / monitor_every);
    if (is_output(step) || (convergence && step % fields_every == 0)) return lattice::Look::fields;
    return step % monitor_every == 0 ? lattice::Look::totals : lattice::Look::nothing;
  }
};

std::vector<std::string> opening_names(const Case& c) {
  std::vector<std::string> names;
  for (const auto& opening : c.openings) names.push_back(opening.disc.name);
  return names;
}

void write_fields(FieldWriter& writer, const lattice::SparseLattice& lattice, const Scaling& scaling, std::int64_t step,
                  std::vector<std::filesystem::path>& files) {
  auto pressure = lattice.density();
  for (auto& p : pressure) p = scaling.pressure(p);
  auto velocity = lattice.velocity();
  for (auto& v : velocity)
    for (auto& component : v) component = scaling.speed(component);
  files.push_back(writer.write(step, scaling.time(step), pressure, velocity));
}

// The steps that are done already.
std::int64_t go_on(Checkpointer& checkpoints, const RunOptions& options, std::int64_t steps, bool speaks) {
  const auto state = checkpoints.restore(*options.restart);
  if (state.step > steps)
    throw InputError(fmt::format("{} is of step {} (the case ends at step {}). ask for more steps.", state.file.string(),
                                 state.step, steps), true);
  if (speaks) {
    for (const auto& why : state.refused) fmt::print(stderr, "warning: {}\n", why);
    if (!options.quiet) fmt::print("going on from {}\n", state.file.string());
  }
  return state.step;
}

}  // namespace

RunResult run(mpi::Communicator& world, const Case& c, const Vessel& vessel, const RunOptions& options) {
  const auto& scaling = vessel.scaling;
  const bool speaks = world.rank() == 0;
  RunResult result;
  result.sites = vessel.setup.sites;
  const Calendar calendar{steps_of(c, scaling), c.monitor.every, output_interval(c, scaling), c.monitor.convergence};

  auto lattice = make_lattice(vessel, c, world.rank());
  std::optional<SeriesWriter> series;

  Timeline timeline(options.trace);
  const StepOptions step_options{.coalesce = options.coalesce,
                                 .grouping = options.grouping,
                                 .watchdog_seconds = 60,
                                 .progress = {.kind = options.progress},
                                 .timeline = &timeline};
  StepManager manager(world, step_options);
  LatticeClient lattice_client(lattice, c, scaling, [&](std::int64_t step) { return calendar.look(step); });
  FlowMonitors monitors(world, lattice_client, vessel.domain, scaling, c.monitor, [&](const MonitorRow& row) {
    if (series) series->append(row.step, row.columns(scaling));
  });
  monitors.start(manager);
  manager.add("lattice", lattice_client);

  Checkpointer checkpoints(world, c, vessel, lattice, lattice_client, monitors);
  if (options.restart) result.from_step = go_on(checkpoints, options, calendar.steps, speaks);  // before anything is written
  manager.start_at(result.from_step);
  FieldWriter fields(world, c.output.directory, vessel.domain);
  if (options.restart) fields.keep_earlier(result.from_step - 1);
  on_root(world, [&] {  // rows that were told stay
    series.emplace(c.output.directory / "monitors", monitor_columns(opening_names(c)), monitors.row().step + 1);
  });

  std::optional<Tuning> tuning;
  if (options.tune) {
    auto how = *options.tune;
    how.iterations = static_cast<std::size_t>(calendar.steps - result.from_step);
    tuning.emplace(world, fmt::format("flow {} sites, monitors every {}, {}", result.sites, c.monitor.every, c.title),
                   step_candidates(world), how);
  }
  const auto use = [&](const Setting& setting) {
    auto other = step_options;
    apply(setting, other);
    manager.use(other, !tuning->settled());
    if (!tuning->settled()) return;
    timeline.reset();  // what follows is what is reported
    manager.reset_counts();
  };
  const auto run_step = [&] { manager.run_step(); };

  std::optional<ProgressBar> bar;
  if (speaks && !options.quiet) bar.emplace(calendar.steps, result.sites);
  double output_seconds = 0;
  const double from = now_seconds();
  while (manager.step() < calendar.steps && !monitors.converged()) {
    if (tuning) tuning->iterate(use, run_step);
    else run_step();
    const auto step = manager.step() - 1;
    if (bar) bar->update(manager.step());
    const double before = now_seconds();
    if (calendar.is_output(step)) write_fields(fields, lattice, scaling, step, result.files);
    const bool is_last = manager.step() == calendar.steps || monitors.converged();
    if (checkpoints.due(manager.step(), is_last)) {
      on_root(world, [&] { series->sync(); });
      const auto file = checkpoints.write(manager.step());
      if (is_last) result.files.push_back(file);
    }
    output_seconds += now_seconds() - before;
  }
  if (tuning) result.tuned = tuning->settled() ? tuning->text() : "the flow converged before anything was chosen";
  result.steps = manager.step();
  result.seconds = all_reduce(world, now_seconds() - from - output_seconds, maximum<double>());
  if (bar) bar->finish(result.steps);
  monitors.finish();
  result.converged = monitors.converged();
  result.last = monitors.row();
  const auto last_written = calendar.is_output(result.steps - 1) && result.steps > result.from_step;
  if (!last_written && lattice_client.fields_step() >= 0)
    write_fields(fields, lattice, scaling, lattice_client.fields_step(), result.files);

  result.overlap = overlap_report(world, manager, timeline, {"lattice", "monitors"});
  if (options.trace) {
    const auto file = c.output.directory / "trace.json";
    timeline.write_trace(world, file);
    result.files.push_back(file);
  }
  constexpr int repeats = 21;
  result.overlap.exchange_seconds = all_reduce(world, manager.measure_alone(repeats), maximum<double>());
  on_root(world, [&] { series->write_json(); });
  result.files.push_back(c.output.directory / "monitors.csv");
  result.files.push_back(c.output.directory / "monitors.json");
  return result;
}

}  // namespace weft::flow
