// SPDX-License-Identifier: BSD-3-Clause
#include "flow/run/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>

#include "flow/extracts/extracts.hpp"
#include "flow/extracts/vtkhdf.hpp"
#include "flow/outlets/outlets.hpp"
#include "flow/run/checkpoint.hpp"
#include "flow/steering/unstable.hpp"
#include "flow/step/last_sound.hpp"
#include "flow/step/lattice_client.hpp"
#include "program/checkpoints.hpp"
#include "program/run_frame.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {

using namespace program;
namespace {

// One run: its objects, and the order of their calls in a step.
class Run final : public program::Stepped {
 public:
  /// `disk`: the communicator for checkpoints and parallel file output. `write`, if given, receives the fields instead.
  Run(program::RunFrame& frame, mpi::Communicator* disk, const Case& c, const Vessel& vessel, const RunOptions& options,
      const WriteValues& write);

  RunResult all();

  std::int64_t step() const override { return manager_.step(); }
  std::int64_t steps() const override { return calendar_.steps; }
  std::int64_t sites() const override { return result_.sites; }
  bool is_over() const override { return has_ended() && !lacks_output(); }
  void before_step() override;
  void stop() override {
    if (!has_ended()) calendar_.steps = calendar_.stopped_at(step());
  }
  void run_step() override { manager_.run_step(); }
  void after_step() override;
  double paused_seconds() const override { return steering_.paused_seconds(); }
  bool is_broken() const override { return breakdown_.has_value(); }
  std::vector<std::filesystem::path> write_due() override;
  bool is_checkpoint_due() const override {
    return checkpoints_ && (is_checkpoint_told_ || checkpoints_->due(step(), has_ended()));
  }
  bool can_write_checkpoint() const override { return checkpoints_->can_write(step()); }
  bool is_checkpoint_listed() const override { return is_checkpoint_told_ || has_ended(); }
  std::filesystem::path write_checkpoint() override;
  void after_writing() override {
    if (options_.hooks.after_step) options_.hooks.after_step(step() - 1);
  }

  std::string problem() const override {
    return fmt::format("flow {} sites, monitors every {}, {}", result_.sites, case_.monitor.every, case_.title);
  }
  std::vector<Setting> candidates() override { return step_candidates(world_); }
  std::vector<std::string> kernels() override { return lattice::kernel_names(); }
  void use(const Setting& setting, bool is_settled) override;

 private:
  void finish();
  void finish_unstable();
  Running running();
  void keep_last_sound();
  void report();
  std::string unstable_text() const;
  bool converged() const { return monitors_.converged() && outlets_.settled(); }
  bool has_ended() const { return is_last_ || step() >= calendar_.steps || converged() || outlets_.periodic(); }
  // Whether one more step is needed, which keeps the values for the outputs.
  bool lacks_output() const {
    return step() > result_.from_step &&
           (!extracts_.are_all_due(step() - 1) || (ends_with_stress() && client_.stress_step() != step() - 1));
  }
  // Whether a picture after the last step needs its stress.
  bool ends_with_stress() const {
    return (case_.output.summary && extracts_.averages().samples() == 0) ||
           (pictures_ && pictures_->ends_with_stress());
  }
  lattice::Diagnostics diagnostics(std::int64_t step) const;
  void take_row(const MonitorRow& row);
  void go_on();
  void keep_breakdown(const std::function<void()>& check);

  program::RunFrame& frame_;
  Transport& world_;
  const Case& case_;
  const Vessel& vessel_;
  const Scaling& scaling_;
  const RunOptions& options_;
  mpi::Communicator* disk_;  // null: none
  RunResult result_;
  Calendar calendar_;
  lattice::SparseLattice lattice_;
  program::Rows *rows_ = nullptr, *compartments_ = nullptr;  // `compartments_` only if there are any
  StepOptions step_options_;
  StepManager manager_;
  LatticeClient client_;
  Extracts extracts_;
  FlowMonitors monitors_;
  Outlets outlets_;
  Limits limits_;
  Steering steering_;
  std::optional<Checkpointer> checkpoints_;
  std::unique_ptr<FlowPictures> pictures_;  // null: none
  std::optional<LastSound> last_sound_;     // if a summary can show it
  std::optional<Breakdown> breakdown_;      // once the flow became unstable
  bool is_last_ = false;                    // the additional step, which only keeps the values for the outputs
  bool is_checkpoint_told_ = false;         // by a command
};

Run::Run(program::RunFrame& frame, mpi::Communicator* disk, const Case& c, const Vessel& vessel,
         const RunOptions& options, const WriteValues& write)
    : frame_(frame), world_(frame.world()), case_(c), vessel_(vessel), scaling_(vessel.scaling), options_(options),
      disk_(disk), calendar_{.steps = steps_of(c, scaling_),
                             .monitor_every = c.monitor.every,
                             .output_every = steps_between(c.output, scaling_),
                             .convergence = c.monitor.convergence,
                             .phased = c.monitor.way == Monitors::Way::phased,
                             .picture_every = picture_interval(c, scaling_)},
      lattice_(make_lattice(world_, vessel, c)), step_options_{.coalesce = options.coalesce,
                                                               .messages = {.grouping = options.grouping,
                                                                            .watchdog_seconds = 60},
                                                               .progress = {.kind = options.progress},
                                                               .timeline = &frame.timeline()},
      manager_(world_, step_options_),
      client_(lattice_, c, scaling_, [this](std::int64_t step) { return diagnostics(step); }),
      extracts_(world_, c, vessel, client_, calendar_),
      monitors_(
          world_, client_, vessel, c.monitor, [this](const MonitorRow& row) { take_row(row); }, c.sections,
          &frame.failure()),
      outlets_(world_, client_, c, vessel), limits_(make_limits(c, scaling_, vessel.domain.grid.extent)),
      steering_(world_, limits_, vessel.setup.sites, client_.controls(), calendar_, options.hooks, options.steering) {
  result_.sites = vessel.setup.sites;
  monitors_.start(manager_);
  outlets_.start(manager_);
  if (disk != nullptr) checkpoints_.emplace(*disk, c, vessel, lattice_, client_, monitors_, &extracts_.averages());
  if (options.settings.restart) go_on();  // before any output
  manager_.start_at(result_.from_step);
  rows_ = &frame.rows("monitors", monitor_columns(monitored_names(c)), monitors_.row().step + 1);  // earlier rows stay
  if (const auto columns = outlets_.columns(); !columns.empty())
    compartments_ = &frame.rows("circulation", columns, result_.from_step);
  extracts_.begin(write ? nullptr : disk, write, result_.from_step, options.settings.restart.has_value());
  steering_.start(manager_, c.output.directory / "steering.jsonl", c.title);
  pictures_ = FlowPictures::make(world_, c, vessel, client_, calendar_, extracts_.wall_stress(), options.onlooker);
  if (pictures_) {
    pictures_->add_to(manager_);
    steering_.while_paused([this] { pictures_->idle(); });
  }
  manager_.add("lattice", client_);
  if (c.output.summary && c.monitor.stability) last_sound_.emplace(lattice_, result_.from_step, calendar_.steps);
}

lattice::Diagnostics Run::diagnostics(std::int64_t step) const {
  auto diagnostics = std::max(calendar_.diagnostics(step), extracts_.diagnostics(step));
  if (pictures_) diagnostics = std::max(diagnostics, pictures_->diagnostics());
  if (options_.hooks.diagnostics) diagnostics = std::max(diagnostics, options_.hooks.diagnostics(step));
  const bool is_last = step == calendar_.steps - 1 || step == calendar_.output_now;
  return is_last && ends_with_stress() ? lattice::Diagnostics::stress : diagnostics;
}

void Run::take_row(const MonitorRow& row) {
  result_.last = row;
  if (world_.rank() != 0 && !frame_.has_row_receiver()) return;
  const auto columns = row.columns(scaling_);
  rows_->append(row.step, columns);
  if (options_.hooks.on_row && world_.rank() == 0) frame_.failure().keep([&] { options_.hooks.on_row(row, columns); });
}

void Run::go_on() {
  if (!checkpoints_) throw Error("This run can't read checkpoints. Run it on an MPI communicator.", true);
  const auto state = checkpoints_->restore(*options_.settings.restart);
  frame_.go_on(state, calendar_.steps);
  result_.from_step = state.step;
  try {
    steering_.restore(state.program_state, state.step);
    outlets_.restore(state.program_state);
    extracts_.restore(state.program_state);
  } catch (const std::exception&) {  // throws on every rank
    throw InputError(program::DamagedError(state.file, "its state of the openings can't be read").what(), true);
  }
}

void Run::use(const Setting& setting, bool is_settled) {
  if (const auto kernel = value_of(setting, "kernel", ""); !kernel.empty()) {
    lattice_.use(lattice::kernel_named(kernel));
  } else {
    auto other = step_options_;
    apply(setting, other);
    manager_.use(other, !is_settled);
  }
  if (!is_settled) return;
  frame_.timeline().reset();  // the report covers the steps from here on
  manager_.reset_counts();
}

void Run::before_step() {
  if (has_ended()) {  // the additional step is not steered
    is_last_ = true;
    calendar_.output_now = step();
  } else {
    steering_.before_step(step());
    if (pictures_) pictures_->before_step(step());
  }
  extracts_.before_step(step());
}

void Run::keep_breakdown(const std::function<void()>& check) {
  try {
    check();
  } catch (const Unstable& unstable) {
    breakdown_ = unstable.breakdown();
  }
}

void Run::after_step() {
  keep_breakdown([this] { monitors_.check(); });
  if (breakdown_) return;
  const auto done = step() - 1;
  if (last_sound_) last_sound_->between_steps(step(), monitors_.row().step);
  extracts_.average(done);
  if (pictures_) pictures_->after_step();
  if (compartments_ != nullptr && done % case_.monitor.every == 0) compartments_->append(done, outlets_.row());
  frame_.failure().keep([&] { steering_.check(); });
  if (pictures_) frame_.failure().keep([&] { pictures_->check(); });
}

std::vector<std::filesystem::path> Run::write_due() {
  const auto done = step() - 1;
  auto files = extracts_.write(done);
  if (steering_.is_checkpoint(done)) {
    is_checkpoint_told_ = true;
    if (options_.hooks.checkpoint) options_.hooks.checkpoint(done);
  }
  return files;
}

std::filesystem::path Run::write_checkpoint() {
  auto file = checkpoints_->write(step(), extracts_.with_state(outlets_.with_state(steering_.state())));
  is_checkpoint_told_ = false;
  if (options_.hooks.on_checkpoint) options_.hooks.on_checkpoint(file);
  return file;
}

Running Run::running() {
  return {.client = client_,
          .timeline = frame_.timeline(),
          .scaling = scaling_,
          .domain = vessel_.domain,
          .limits = limits_,
          .first_step = result_.from_step,
          .steps = calendar_.steps,
          .values =
              [this](FieldQuantity quantity) {
                std::vector<std::uint32_t> all(vessel_.domain.sites.size());
                std::iota(all.begin(), all.end(), 0U);
                return extracts_.values().of(quantity, all);
              },
          .carry_out = [this](const Command& command) { steering_.carry_out(command, step()); }};
}

RunResult Run::all() {
  if (options_.hooks.on_start) options_.hooks.on_start(running());
  static_cast<program::RunEnd&>(result_) = frame_.run(*this);
  if (!breakdown_) keep_breakdown([this] { monitors_.finish(); });
  if (!breakdown_) {
    finish();
    return std::move(result_);
  }
  finish_unstable();
  throw UnstableRun(std::move(result_));
}

// The error's line includes the run time with each remedy, from the measured speed.
std::string Run::unstable_text() const {
  const auto steps = static_cast<double>(result_.made()), sites = static_cast<double>(result_.sites);
  const double dx = scaling_.dx;
  const Known known{.volume = sites * dx * dx * dx,
                    .ranks = world_.size(),
                    .update_seconds = steps > 0 ? result_.seconds / steps / sites : 0};
  return unstable_line(*breakdown_, case_, scaling_, known);
}

// Errors while writing are appended to the error of the unstable flow.
void Run::finish_unstable() {
  result_.unstable = UnstableEnd{.breakdown = *breakdown_, .line = unstable_text()};
  try {
    frame_.failure().agree(world_);
    if (last_sound_ && last_sound_->sound().step >= 0) keep_last_sound();
    report();
  } catch (const InputError& e) {
    if (!e.everywhere()) throw;
    result_.unstable->line += fmt::format(" The output of the run is incomplete: {}", e.what());
  }
}

// Keeps the last valid state as pictures for the summary, and as a file beside the fields.
void Run::keep_last_sound() {
  const auto& sound = last_sound_->sound();
  result_.unstable->sound_step = sound.step;
  result_.wall_maps = draw_sound_maps(world_, vessel_, client_, {.snapshot = sound, .place = breakdown_->place});
  if (disk_ == nullptr || !frame_.settings().files) return;
  std::vector<CellValues> values{{"pressure", 1, {}}, {"velocity", 3, {}}};
  for (std::size_t k = 0; k < sound.slot.size(); ++k) {
    const auto& site = sound.site(k);
    values[0].values.push_back(scaling_.pressure(1 + static_cast<double>(site.excess)));
    for (const float u : site.velocity) values[1].values.push_back(scaling_.speed(static_cast<double>(u)));
  }
  FieldWriter file(*disk_, case_.output.directory, voxel_mesh(vessel_.domain), scaling_.dx, "last_sound");
  result_.add(file.write(sound.step, scaling_.time(sound.step), values));
}

void Run::finish() {
  frame_.failure().agree(world_);
  result_.converged = converged();
  result_.stopped = steering_.stopped();
  result_.last = monitors_.row();
  if (result_.steps == result_.from_step)  // if no step was made: the fields before the next step
    for (auto& file : extracts_.write(lattice_.has_fields() ? client_.fields_step() : result_.steps, true))
      result_.add(std::move(file));
  if (pictures_) {
    for (auto& file : pictures_->finish(result_.steps)) result_.files.push_back(std::move(file));
    result_.pictures = pictures_->costs();
  }
  if (case_.output.summary && result_.steps > result_.from_step)
    result_.wall_maps = draw_wall_maps(world_, vessel_, client_, extracts_);
  report();
  if (options_.hooks.on_end) options_.hooks.on_end(running());
}

// Makes the overlap report and finishes the tables. Collective.
void Run::report() {
  std::vector<std::string> clients = {"lattice", "monitors"};
  if (outlets_.any()) clients.emplace_back("outlets");
  if (pictures_) clients.emplace_back("pictures");
  if (options_.steering.live) clients.emplace_back("steering");
  result_.overlap = overlap_report(world_, manager_, frame_.timeline(), clients);
  result_.overlap.profile.problem = static_cast<double>(result_.sites);
  frame_.leave_trace(result_.files);
  constexpr int repeats = 21;
  result_.overlap.exchange_seconds = all_reduce(world_, manager_.measure_alone(repeats), maximum<double>());
  result_.outlets = outlets_.report();
  frame_.finish_rows(result_.files);
  if (options_.steering.live) result_.files.push_back(case_.output.directory / "steering.jsonl");
}

}  // namespace

std::unique_ptr<program::RunFrame> make_frame(Transport& world, const Case& c, const RunOptions& options) {
  auto frame = program::make_case_frame(world, c, options.settings,
                                        {"monitors", "circulation", "fields", "checkpoint", "last_sound", "summary"});
  frame->reads(c.surface.file);
  frame->reads(options.steering.replay);
  for (const auto& opening : c.openings) frame->reads(opening.value.file);
  if (options.steering.live) frame->writes_series({"steering"});
  for (const auto& extract : c.extracts) frame->writes_series({extract.name, extract.name + "_average"});
  return frame;
}

RunResult run(Transport& world, const Case& c, const Vessel& vessel, const RunOptions& options,
              const WriteValues& write) {
  const auto frame = make_frame(world, c, options);
  return Run(*frame, nullptr, c, vessel, options, write).all();
}

RunResult run(mpi::Communicator& world, program::RunFrame& frame, const Case& c, const Vessel& vessel,
              const RunOptions& options) {
  const WriteValues nowhere = [](std::int64_t, double, std::span<const CellValues>) { return std::filesystem::path(); };
  return Run(frame, &world, c, vessel, options, options.settings.files ? WriteValues() : nowhere).all();
}

RunResult run(mpi::Communicator& world, const Case& c, const Vessel& vessel, const RunOptions& options) {
  const auto frame = make_frame(world, c, options);
  return run(world, *frame, c, vessel, options);
}

}  // namespace weft::flow
