// SPDX-License-Identifier: BSD-3-Clause
#include "box_program/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "box_program/checkpoint.hpp"
#include "box_program/image_writer.hpp"
#include "program/run_frame.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::box_program {

namespace {

lattice::DenseParameters parameters_of(const Case& c, const Layout& layout) {
  auto parameters = c.fluid;
  parameters.wraps_last_axis = layout.space.wraps[c.dimensions() - 1];
  return parameters;
}

}  // namespace

// The vortices of Taylor and Green (Proc. R. Soc. A 158 (1937) 499), one period along each axis, with their pressure.
lattice::DenseLattice::State initial_state(const Case& c, const Site& site) {
  const double u = c.start.speed;
  std::array<double, 3> phase{};
  for (std::size_t a = 0; a < c.dimensions(); ++a)
    phase[a] = 2 * std::numbers::pi * (static_cast<double>(site[a]) + 0.5) / static_cast<double>(c.size[a]);
  const auto [x, y, z] = phase;
  switch (c.start.flow) {
    case StartCase::Flow::uniform: return {1, c.start.velocity};
    case StartCase::Flow::shear_wave: return {1, {u * std::sin(y), 0, 0}};
    case StartCase::Flow::taylor_green: {
      const double ratio = static_cast<double>(c.size[1]) / static_cast<double>(c.size[0]);
      const double pressure = 0.25 * u * u * (std::cos(2 * x) + ratio * ratio * std::cos(2 * y));
      return {1 + 3 * pressure, {u * std::sin(x) * std::cos(y), -u * ratio * std::cos(x) * std::sin(y), 0}};
    }
    case StartCase::Flow::taylor_green_3d: {
      const double pressure = u * u / 16 * (std::cos(2 * x) + std::cos(2 * y)) * (std::cos(2 * z) + 2);
      return {1 + 3 * pressure,
              {u * std::sin(x) * std::cos(y) * std::cos(z), -u * std::cos(x) * std::sin(y) * std::cos(z), 0}};
    }
    case StartCase::Flow::rest: break;
  }
  return {1, {}};
}

// Monitors sample the lattice before it is updated; the lattice precedes its halos, whose data it computes; walls are
// last, and end the step.
Simulation::Simulation(Transport& world, const Case& c, const StepOptions& options,
                       std::function<void(const Reading&)> on_reading, program::KeptFailure* failure)
    : case_(c), scheme_(c.scheme), layout_(make_layout(c, world.rank(), world.size())),
      lattice_(layout_.grid.block().count, parameters_of(c, layout_)), particles_(c.particles, layout_.space, lattice_),
      monitor_(
          world, lattice_, particles_, layout_.space, c.monitor, c.steady,
          on_reading ? std::move(on_reading) : [](const Reading&) {}, failure),
      sites_(lattice_, layout_.grid),
      fill_(make_halo(c, layout_, lattice_, lattice_.layout(), HaloOptions::Flow::fill)),
      reverse_halo_(make_halo(c, layout_, lattice_, lattice_.layout(), HaloOptions::Flow::reverse)),
      walls_(lattice_, c, layout_), manager_(world, options) {
  const auto& first = layout_.space.block.first;
  lattice_.initialise([&](const lattice::DenseLattice::Site& s) {
    Site global{};
    for (std::size_t a = 0; a < 3; ++a) global[a] = s[a] + static_cast<std::ptrdiff_t>(first[a]);
    return initial_state(c, global);
  });
  monitor_.start(manager_);
  manager_.add("lattice", sites_);
  manager_.add("halo", fill_, {.every = 2, .offset = 0});
  manager_.add("halo back", reverse_halo_, {.every = 2, .offset = 1});
  manager_.add("particles", particles_);
  manager_.add("walls", walls_);
}

// The reverse exchange of an odd step matches the fill of the even step before it, so both must have one scheme.
void Simulation::use(const StepOptions& options, HaloOptions::Scheme scheme, bool keep) {
  if (step() % 2 != 0) throw Error("The halo can't be changed before an odd step. Change it before an even step.");
  manager_.use(options, keep);
  if (scheme == scheme_) return;
  scheme_ = scheme;
  auto with_scheme = case_;
  with_scheme.scheme = scheme;
  for (auto* client : {&fill_, &reverse_halo_}) {
    client->replace(make_halo(with_scheme, layout_, lattice_, lattice_.layout(), client->halo().options().flow));
    manager_.changed(*client);
  }
}

namespace {

// Density, velocity and solid sites of the block, per site.
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

void append(program::Rows& rows, std::int64_t step, const Particles& particles) {
  for (std::size_t p = 0; p < particles.list().size(); ++p) {
    const auto& one = particles.list()[p];
    const auto& load = particles.loads()[p];
    std::vector<double> values{static_cast<double>(p)};
    for (const auto* v : {&one.position, &one.velocity, &one.spin, &load.force, &load.torque})
      values.insert(values.end(), v->begin(), v->end());
    rows.append(step, values);
  }
}

// The key of the problem for stored tuning results.
std::string problem_of(const Case& c) {
  return fmt::format("box {}, payload {}, {} particles, monitors every {}, {}", fmt::join(c.size, "x"),
                     name_of(c.payload), c.particles.list.size(), c.monitor.every, c.title);
}

// A program without weft has one round per axis or one message per neighbour, as its author chose: the case's scheme is
// the baseline.
std::vector<Setting> candidates(Transport& world, HaloOptions::Scheme plain) {
  using Scheme = HaloOptions::Scheme;
  std::vector<Setting> all;
  for (const auto scheme : {plain, plain == Scheme::direct ? Scheme::by_dimension : Scheme::direct})
    for (auto setting : step_candidates(world)) {
      const bool in_rounds = scheme == Scheme::by_dimension;
      if (!all.empty() && in_rounds && value_of(setting, "grouping", "") != "per_peer")
        continue;  // one part per message already
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

// One run: its parts and its output schedule.
class Run final : public program::Stepped {
 public:
  Run(mpi::Communicator& world, program::RunFrame& frame, const Case& c, const RunOptions& options)
      : world_(world), frame_(frame), case_(c), on_(options), step_options_(options.step),
        simulation_(
            world, c, with_timeline(step_options_), [this](const Reading& reading) { take(reading); },
            &frame.failure()),
        checkpoints_(world, c, simulation_), from_step_(go_on()), end_(c.steps),
        monitors_(&frame.rows("monitors", Reading::columns(), from_step_)) {
    if (frame.settings().files) fields_.emplace(world, c, simulation_, from_step_);
    if (!c.particles.list.empty()) tracks_ = &frame.rows("particles", particle_columns, from_step_);
    for (const auto n : c.size) sites_ *= static_cast<std::int64_t>(n);
  }

  RunResult all();

  std::int64_t step() const override { return simulation_.step(); }
  std::int64_t steps() const override { return end_; }
  std::int64_t sites() const override { return sites_; }
  bool is_over() const override { return step() >= end_ || simulation_.monitor().is_steady(); }
  void stop() override { end_ = std::min(end_, step() + 1); }
  void before_step() override {
    if (tracks_ != nullptr && step() % case_.monitor.every == 0) append(*tracks_, step(), simulation_.particles());
  }
  void run_step() override { simulation_.run_step(); }
  std::vector<std::filesystem::path> write_due() override {
    if (!is_output(step()) || !fields_) return {};
    return {fields_->write(step())};
  }
  bool is_checkpoint_due() const override {
    return case_.checkpoint_every > 0 && frame_.settings().files && (step() % case_.checkpoint_every == 0 || is_over());
  }
  bool can_write_checkpoint() const override { return checkpoints_.can_write(); }
  std::filesystem::path write_checkpoint() override { return checkpoints_.write(); }

  std::string problem() const override { return problem_of(case_); }
  std::vector<Setting> candidates() override { return box_program::candidates(world_, case_.scheme); }
  std::vector<std::string> kernels() override { return lattice::kernel_names(); }
  // Even and odd steps differ, and settings may change only before even ones.
  Tuning::Options tuned_by(Tuning::Options wish) const override {
    wish.warm_up = wish.period = 2;
    return wish;
  }
  void use(const Setting& setting, bool is_settled) override;

 private:
  StepOptions& with_timeline(StepOptions& options) const {
    options.timeline = &frame_.timeline();
    return options;
  }
  std::int64_t go_on();
  void take(const Reading& reading) { monitors_->append(reading.step, reading.values()); }
  bool is_output(std::int64_t done) const { return case_.output.every > 0 && done % case_.output.every == 0; }

  mpi::Communicator& world_;
  program::RunFrame& frame_;
  const Case& case_;
  const RunOptions& on_;
  StepOptions step_options_;
  program::Rows* tracks_ = nullptr;  // if there are particles
  std::int64_t sites_ = 1;
  Simulation simulation_;
  Checkpoints checkpoints_;
  std::int64_t from_step_, end_;
  program::Rows* monitors_;
  std::optional<Fields> fields_;  // if the run writes files
};

// The step of the restored state; before anything is written.
std::int64_t Run::go_on() {
  const auto& restart = frame_.settings().restart;
  if (!restart) return 0;
  const auto state = checkpoints_.restore(restart->empty() ? case_.output.directory : *restart);
  frame_.go_on(state, case_.steps);
  return state.step;
}

void Run::use(const Setting& setting, bool is_settled) {
  if (const auto kernel = value_of(setting, "kernel", ""); !kernel.empty()) {
    simulation_.lattice().use(lattice::kernel_named(kernel));
  } else {
    auto other = step_options_;
    apply(setting, other);
    const bool direct = value_of(setting, "scheme", "") == "direct";
    simulation_.use(other, direct ? HaloOptions::Scheme::direct : HaloOptions::Scheme::by_dimension, !is_settled);
  }
  if (!is_settled) return;
  frame_.timeline().reset();  // the report covers what follows
  simulation_.manager().reset_counts();
}

RunResult Run::all() {
  RunResult result;
  if (on_.on_start) on_.on_start(simulation_);
  static_cast<program::RunEnd&>(result) = frame_.run(*this);
  result.sites = sites_;
  result.steady = simulation_.monitor().is_steady();
  result.overlap = overlap_report(world_, simulation_.manager(), frame_.timeline(),
                                  {"lattice", "halo", "halo back", "particles", "walls", "monitors"});
  result.overlap.profile.problem = static_cast<double>(sites_);
  simulation_.monitor().read_now(result.steps);
  result.last = simulation_.monitor().reading();
  if (tracks_ != nullptr) append(*tracks_, result.steps, simulation_.particles());
  if (fields_ && !is_output(result.steps)) result.files.push_back(fields_->write(result.steps));
  frame_.leave_trace(result.files);
  constexpr int repeats = 21;
  result.overlap.exchange_seconds = all_reduce(world_, simulation_.manager().measure_alone(repeats), maximum<double>());
  frame_.finish_rows(result.files);
  if (on_.on_end) on_.on_end(simulation_);
  return result;
}

}  // namespace

std::unique_ptr<program::RunFrame> make_frame(mpi::Communicator& world, const Case& c, const RunOptions& options) {
  return program::make_case_frame(world, c, options.settings, {"monitors", "particles", "fields", "checkpoint"});
}

RunResult run(mpi::Communicator& world, program::RunFrame& frame, const Case& c, const RunOptions& options) {
  return Run(world, frame, c, options).all();
}

RunResult run(mpi::Communicator& world, const Case& c, const RunOptions& options) {
  const auto frame = make_frame(world, c, options);
  return run(world, *frame, c, options);
}

}  // namespace weft::box_program
