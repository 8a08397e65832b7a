// SPDX-License-Identifier: BSD-3-Clause
#include "box_program/run.hpp"

#include <fmt/format.h>

#include <optional>
#include <span>

#include "box_program/checkpoint.hpp"
#include "box_program/image_writer.hpp"
#include "box_program/simulation.hpp"
#include "program/progress_bar.hpp"
#include "program/series.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::box_program {
namespace {

// Density, velocity and solid sites of the block, site by site.
class Fields {
 public:
  Fields(mpi::Communicator& world, const Case& c, const Simulation& simulation, std::int64_t from_step)
      : writer_(world, c.output.directory, simulation.space()), simulation_(simulation) {
    writer_.keep_earlier(from_step);
    const auto sites = simulation.space().block.points();
    density_.resize(sites);
    velocity_.resize(sites);
    solid_.resize(sites);
  }

  std::filesystem::path write(std::int64_t step) {
    const auto& space = simulation_.space();
    const auto row_axis = space.dimensions - 1;
    std::vector<lattice::DenseLattice::State> row(space.block.count[row_axis]);
    auto rows = space.block.count;
    rows[row_axis] = 1;
    std::size_t at = 0;
    for (std::size_t x = 0; x < rows[0]; ++x)
      for (std::size_t y = 0; y < rows[1]; ++y) {
        Site s{static_cast<std::ptrdiff_t>(x), static_cast<std::ptrdiff_t>(y), 0};
        s[row_axis] = 0;
        simulation_.lattice().states(s, row);
        for (const auto& state : row) {
          const bool solid = simulation_.particles().is_solid(s);
          density_[at] = solid ? 0 : state.density;
          velocity_[at] = solid ? std::array<double, 3>{} : state.velocity;
          solid_[at++] = solid ? 1 : 0;
          ++s[row_axis];
        }
      }
    return writer_.write(step, density_, velocity_, solid_);
  }

 private:
  ImageWriter writer_;
  const Simulation& simulation_;
  std::vector<double> density_;
  std::vector<std::array<double, 3>> velocity_;
  std::vector<std::uint8_t> solid_;
};

const std::vector<std::string> particle_columns = {
    "step",   "particle", "x",       "y",       "z",       "velocity_x", "velocity_y", "velocity_z", "spin_x",
    "spin_y", "spin_z",   "force_x", "force_y", "force_z", "torque_x",   "torque_y",   "torque_z"};

void append(program::SeriesWriter& series, std::int64_t step, const Particles& particles) {
  for (std::size_t p = 0; p < particles.list().size(); ++p) {
    const auto& one = particles.list()[p];
    const auto& load = particles.loads()[p];
    std::vector<double> values{static_cast<double>(p)};
    for (const auto* v : {&one.position, &one.velocity, &one.spin, &load.force, &load.torque})
      values.insert(values.end(), v->begin(), v->end());
    series.append(step, values);
  }
}

// What a tuned run knows itself by.
std::string problem_of(const Case& c) {
  return fmt::format("box {}, payload {}, {} particles, monitors every {}, {}", fmt::join(c.size, "x"),
                     name_of(c.payload), c.particles.list.size(), c.monitor.every, c.title);
}

// A program without weft has one round an axis or one message a neighbour, whichever its author chose: the case's is
// plain.
std::vector<Setting> candidates(const Transport& world, HaloOptions::Scheme plain) {
  using Scheme = HaloOptions::Scheme;
  std::vector<Setting> all;
  for (const auto scheme : {plain, plain == Scheme::direct ? Scheme::by_dimension : Scheme::direct})
    for (auto setting : step_candidates(world)) {
      const bool in_rounds = scheme == Scheme::by_dimension;
      if (!all.empty() && in_rounds && value_of(setting, "grouping", "") != "per_peer")
        continue;  // a part a message as it is
      setting["scheme"] = name_of(scheme);
      all.push_back(setting);
    }
  if (!world.has(Ability::shared_memory)) return all;
  for (const auto& scheme : scheme_names)
    all.push_back({{"coalesce", "on"},
                   {"grouping", "per_peer"},
                   {"progress", "polling"},
                   {"scheme", scheme.name},
                   {"shared_memory", "on"}});
  return all;
}

// Steps differ by turns, and may be changed before even ones only.
Tuning::Options in_pairs(Tuning::Options o, std::int64_t steps) {
  o.warm_up = o.period = 2;
  o.iterations = static_cast<std::size_t>(steps);
  return o;
}

// From a file or a folder; the step of the state.
std::int64_t go_on(mpi::Communicator& world, const Case& c, Checkpoints& checkpoints, const std::filesystem::path& from,
                   bool quiet) {
  const auto state = checkpoints.restore(from.empty() ? c.output.directory : from);
  if (state.step > c.steps)
    throw InputError(fmt::format("{} is of step {} (the case ends at step {}). ask for more steps.",
                                 state.file.string(), state.step, c.steps),
                     true);
  if (world.rank() != 0) return state.step;
  for (const auto& why : state.refused) fmt::print(stderr, "warning: {}\n", why);
  if (!quiet) fmt::print("going on from {}\n", state.file.string());
  return state.step;
}

}  // namespace

RunResult run(mpi::Communicator& world, const Case& c, const RunOptions& options) {
  const bool speaks = world.rank() == 0;
  RunResult result;
  result.sites = 1;
  for (const auto n : c.size) result.sites *= static_cast<std::int64_t>(n);

  std::optional<program::SeriesWriter> monitors, tracks;
  Timeline timeline(options.trace);
  auto step_options = options.step;
  step_options.timeline = &timeline;
  Simulation simulation(world, c, step_options, [&](const Reading& reading) {
    if (monitors) monitors->append(reading.step, reading.values());
  });
  Checkpoints checkpoints(world, c, simulation);
  if (options.restart) result.from_step = go_on(world, c, checkpoints, *options.restart, options.quiet);
  on_root(world, [&] {
    monitors.emplace(c.output.directory / "monitors", Reading::columns(), result.from_step);
    if (!c.particles.list.empty()) tracks.emplace(c.output.directory / "particles", particle_columns, result.from_step);
  });
  Fields fields(world, c, simulation, result.from_step);
  const auto is_output = [&](std::int64_t done) { return c.output.every > 0 && done % c.output.every == 0; };

  std::optional<Tuning> tuning;
  if (options.tune)
    tuning.emplace(world, problem_of(c), candidates(world, c.scheme),
                   in_pairs(*options.tune, c.steps - result.from_step));
  const auto use = [&](const Setting& setting) {
    auto other = step_options;
    apply(setting, other);
    const bool direct = value_of(setting, "scheme", "") == "direct";
    simulation.use(other, direct ? HaloOptions::Scheme::direct : HaloOptions::Scheme::by_dimension, !tuning->settled());
    if (!tuning->settled()) return;
    timeline.reset();  // what follows is what is reported
    simulation.manager().reset_counts();
  };
  const auto run_step = [&] { simulation.run_step(); };

  std::optional<program::ProgressBar> bar;
  if (speaks && !options.quiet) bar.emplace(c.steps, result.sites, stderr, result.from_step);
  double output_seconds = 0;
  bool checkpoint_wanted = false;
  const auto is_over = [&] { return simulation.step() >= c.steps || simulation.monitor().is_steady(); };
  const double from = now_seconds();
  while (!is_over()) {
    if (tracks && simulation.step() % c.monitor.every == 0) append(*tracks, simulation.step(), simulation.particles());
    if (tuning)
      tuning->iterate(use, run_step);
    else
      run_step();
    const auto done = simulation.step();
    if (bar) bar->update(done);
    const double before = now_seconds();
    if (is_output(done)) result.files.push_back(fields.write(done));
    checkpoint_wanted = checkpoint_wanted || (c.checkpoint_every > 0 && (done % c.checkpoint_every == 0 || is_over()));
    if (checkpoint_wanted && checkpoints.can_write()) {
      on_root(world, [&] {  // a run that goes on from there has all rows up to there
        for (auto* series : {&monitors, &tracks})
          if (*series) (*series)->sync();
      });
      const auto file = checkpoints.write();
      if (is_over()) result.files.push_back(file);
      checkpoint_wanted = false;
    }
    output_seconds += now_seconds() - before;
  }
  if (tuning) result.tuned = tuning->settled() ? tuning->text() : "the flow was steady before anything was chosen";
  result.steps = simulation.step();
  result.seconds = all_reduce(world, now_seconds() - from - output_seconds, maximum<double>());
  if (bar) bar->finish(result.steps);
  result.steady = simulation.monitor().is_steady();
  result.overlap = overlap_report(world, simulation.manager(), timeline,
                                  {"lattice", "halo", "halo back", "particles", "walls", "monitors"});
  result.overlap.profile.problem = static_cast<double>(result.sites);
  simulation.monitor().read_now(result.steps);
  result.last = simulation.monitor().reading();
  if (tracks) append(*tracks, result.steps, simulation.particles());
  if (!is_output(result.steps)) result.files.push_back(fields.write(result.steps));
  if (options.trace) {
    const auto file = c.output.directory / "trace.json";
    timeline.write_trace(world, file);
    result.files.push_back(file);
  }
  constexpr int repeats = 21;
  result.overlap.exchange_seconds = all_reduce(world, simulation.manager().measure_alone(repeats), maximum<double>());
  on_root(world, [&] {
    for (auto* series : {&monitors, &tracks})
      if (*series) (*series)->write_json();
  });
  for (const auto* name : {"monitors", "particles"}) {
    if (*name == 'p' && c.particles.list.empty()) continue;
    for (const auto* ending : {".csv", ".json"})
      result.files.push_back(c.output.directory / (std::string(name) + ending));
  }
  return result;
}

}  // namespace weft::box_program
