// SPDX-License-Identifier: BSD-3-Clause
#include "wave/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "program/memory.hpp"
#include "program/readable.hpp"
#include "program/run_frame.hpp"
#include "wave/constraint.hpp"
#include "wave/outputs.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::wave {

namespace {

std::unique_ptr<Simulation> make_simulation(mpi::Communicator& world, const program::RunFrame& frame, const Case& c,
                                            const ExchangeOptions& exchange, Timeline& timeline) {
  const auto& restart = frame.settings().restart;
  if (!restart) return std::make_unique<Simulation>(world, c, exchange, &timeline);
  auto state = read_checkpoint(world, c, *restart);
  frame.go_on(state, c.steps);
  return std::make_unique<Simulation>(c, exchange, std::move(state.hierarchy), state.step, &timeline);
}

// One run: its parts and its output schedule.
class Run final : public program::Stepped {
 public:
  Run(mpi::Communicator& world, program::RunFrame& frame, const Case& c, const RunOptions& options)
      : world_(world), frame_(frame), case_(c), options_(options),
        simulation_(
            make_simulation(world, frame, c, exchange_of(options.exchange, options.progress), frame.timeline())),
        from_step_(simulation_->step()), counted_from_(from_step_), end_(c.steps) {
    if (frame.settings().files) outputs_.emplace(world, c, from_step_);
    const bool goes_on = frame.settings().restart.has_value();
    if (c.constraint_every > 0)
      potential_ =
          &frame.rows("constraint", {"step", "phi_min", "phi_max", "cycles", "residual_first", "residual_last"},
                      goes_on ? from_step_ + 1 : 0);
    readings_ = &frame.rows("monitors", Reading::columns(c.refinement.levels), goes_on ? from_step_ : 0);
  }

  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() override {
    if (options_.on_end) options_.on_end(*simulation_);
  }

  RunResult all();

  std::int64_t step() const override { return simulation_->step(); }
  std::int64_t steps() const override { return end_; }
  std::int64_t sites() const override { return cells_; }
  void stop() override { end_ = std::min(end_, step() + 1); }
  void run_step() override { simulation_->run_step(); }
  void after_step() override;
  std::vector<std::filesystem::path> write_due() override;
  bool is_checkpoint_due() const override { return outputs_ && outputs_->is_checkpoint_due(step(), is_over()); }
  std::filesystem::path write_checkpoint() override { return outputs_->write_checkpoint(*simulation_); }

  std::string problem() const override;
  std::vector<Setting> candidates() override;
  void use(const Setting& setting, bool is_settled) override;

 private:
  ExchangeOptions exchange_of(ExchangeOptions exchange, const ProgressOptions& progress) const {
    exchange.progress = std::make_shared<Progress>(world_, progress);
    exchange.timeline = &frame_.timeline();
    return exchange;
  }
  Reading read();

  mpi::Communicator& world_;
  program::RunFrame& frame_;
  const Case& case_;
  const RunOptions& options_;
  std::unique_ptr<Simulation> simulation_;                   // created before anything is written
  std::int64_t from_step_, counted_from_, end_, cells_ = 0;  // the second: where the timeline begins
  std::optional<Outputs> outputs_;                           // if the run writes files
  Constraint constraint_;
  program::Rows *readings_ = nullptr, *potential_ = nullptr;  // the second if the case has a constraint
  Reading last_;
};

Reading Run::read() {
  const auto reading = simulation_->read();
  if (!std::isfinite(reading.energy))
    throw Error(fmt::format("The wave is no longer finite in step {} (it became unstable). Use a smaller wave.cfl.",
                            reading.step),
                true);
  if (reading.step % case_.monitor_every == 0 || reading.step == end_)
    readings_->append(reading.step, reading.values(case_.refinement.levels));
  frame_.failure().agree(world_);
  return reading;
}

void Run::after_step() {
  if (potential_ == nullptr || step() % case_.constraint_every != 0) return;
  const auto r = constraint_.solve(*simulation_, case_.speed, case_.constraint_tolerance);
  const std::array values{r.lowest, r.highest, static_cast<double>(r.solved.cycles), r.solved.first, r.solved.last};
  potential_->append(step(), values);
}

std::vector<std::filesystem::path> Run::write_due() {
  if (step() % case_.monitor_every == 0 || is_over()) last_ = read();
  if (!outputs_) return {};
  return outputs_->write_fields_if_due(*simulation_, is_over());
}

std::string Run::problem() const {
  const auto& d = case_.domain;
  return fmt::format("wave {}x{}x{} blocks of {}, {} levels, {}", d.blocks[0], d.blocks[1], d.blocks[2], d.cells,
                     case_.refinement.levels, case_.title);
}

std::vector<Setting> Run::candidates() {
  auto all = exchange_candidates(world_);
  if (world_.has(Ability::shared_memory)) {
    for (const auto* progress : {"passive", "polling"})
      all.push_back({{"progress", progress}, {"grouping", "per_peer"}, {"shared_memory", "on"}});
  }
  return all;
}

void Run::use(const Setting& setting, bool is_settled) {
  auto other = options_.exchange;
  auto progress = options_.progress;
  apply(setting, other);
  apply(setting, progress);
  simulation_->stepper().use(exchange_of(other, progress));
  if (!is_settled) return;
  frame_.timeline().reset();  // the report covers what follows
  counted_from_ = step();
}

RunResult Run::all() {
  RunResult result;
  if (options_.on_start) options_.on_start(*simulation_);
  result.first = last_ = read();
  cells_ = result.first.cells;
  frame_.timeline().reset();  // of the first reading
  static_cast<program::RunEnd&>(result) = frame_.run(*this);
  result.last = last_;
  result.cell_updates = all_reduce(world_, simulation_->stepper().cell_updates(), sum<std::int64_t>());
  result.regrids = simulation_->regrids();
  result.mesh = amr::describe(simulation_->hierarchy().tree());
  result.overlap = overlap_report(world_, frame_.timeline(), result.steps - counted_from_,
                                  {"cells", "siblings", "coarse to fine", "restriction"});
  frame_.leave_trace(result.files);
  frame_.finish_rows(result.files);
  return result;
}

}  // namespace

std::unique_ptr<program::RunFrame> make_frame(mpi::Communicator& world, const Case& c, const RunOptions& options) {
  return program::make_case_frame(world, c, options.settings, {"monitors", "constraint", "fields", "checkpoint"});
}

RunResult run(mpi::Communicator& world, program::RunFrame& frame, const Case& c, const RunOptions& options) {
  return Run(world, frame, c, options).all();
}

RunResult run(mpi::Communicator& world, const Case& c, const RunOptions& options) {
  const auto frame = make_frame(world, c, options);
  return run(world, *frame, c, options);
}

std::vector<std::string> find_problems(const Case& c) {
  std::vector<std::string> problems;
  const auto& r = c.refinement;
  const double finest = c.domain.spacing_of(r.levels);
  for (std::size_t k = 0; k < c.pulses.size(); ++k) {
    const auto& pulse = c.pulses[k];
    const bool local = pulse.shape == Pulse::Shape::gaussian || pulse.shape == Pulse::Shape::front;
    if (local && pulse.width < 3 * finest)
      problems.push_back(fmt::format("Pulse {} is {:.3g} wide, which is {:.2g} of the finest cells. Use 3 or more.", k,
                                     pulse.width, pulse.width / finest));
  }
  if (r.criterion != Refinement::Criterion::none && r.every > 0 && c.cfl * static_cast<double>(r.every) > r.buffer)
    problems.push_back(
        fmt::format("A wave travels {:.2g} cells between two adaptations of the mesh, but the buffer is {}. Use a "
                    "smaller refinement.every, or a larger buffer.",
                    c.cfl * static_cast<double>(r.every), r.buffer));
  constexpr double rounding = 1e-9;
  if (const double end = static_cast<double>(c.steps) * c.dt(); c.time && std::abs(end - *c.time) > rounding * *c.time)
    problems.push_back(fmt::format(
        "run.time is {}, but the run ends at {:.6g}, which is nearest to it of all multiples of the step {:.4g}. Set "
        "wave.cfl={} to end there.",
        *c.time, end, c.dt(), *c.time * c.speed / c.domain.spacing / std::ceil(*c.time / c.dt())));
  return problems;
}

namespace {

// Before every rank creates a tree of blocks.
void require_memory(Transport& world, const Case& c) {
  const auto& d = c.domain;
  const auto block = static_cast<double>(amr::Shape(d.cells).field * fields) * sizeof(double);
  double blocks = 1;
  for (const auto n : d.blocks) blocks *= n;
  program::require_memory(
      world, block * blocks,
      fmt::format("{} x {} x {} cells", d.blocks[0] * d.cells, d.blocks[1] * d.cells, d.blocks[2] * d.cells),
      "Use fewer domain.cells");
}

}  // namespace

std::string check_report(mpi::Communicator& world, const Case& c) {
  require_memory(world, c);
  const Simulation simulation(world, c, {});
  const auto& tree = simulation.hierarchy().tree();
  const auto n = c.domain.cells;
  const auto slab = static_cast<double>(simulation.hierarchy().shape().field * fields) * sizeof(double);
  std::string text = fmt::format("{}: {} x {} x {} cells of {:.4g}, {} levels above, {}th-order Laplacian, RK4\n",
                                 c.title, c.domain.blocks[0] * n, c.domain.blocks[1] * n, c.domain.blocks[2] * n,
                                 c.domain.spacing, c.refinement.levels, static_cast<int>(c.laplacian));
  text += fmt::format("  {} steps of {:.4g}, c dt / h = {:.3g} (stable up to {:.3g})\n", c.steps, c.dt(), c.cfl,
                      stable_limit(c.laplacian));
  text += amr::describe(tree);
  text += fmt::format("  cells take {} in all at the start\n",
                      program::bytes_text(slab * static_cast<double>(tree.blocks())));
  return text;
}

}  // namespace weft::wave
