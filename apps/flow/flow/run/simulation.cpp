// SPDX-License-Identifier: BSD-3-Clause
#include "flow/run/simulation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "flow/checkpoint/checkpoint.hpp"
#include "flow/extracts/extracts.hpp"
#include "flow/monitoring/unstable.hpp"
#include "flow/outlets/outlets.hpp"
#include "flow/output/vtkhdf.hpp"
#include "flow/step/calendar.hpp"
#include "flow/step/last_sound.hpp"
#include "flow/step/lattice_client.hpp"
#include "program/checkpoints.hpp"
#include "program/progress_bar.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {

using namespace program;
namespace {

// One run: what it is made of, and how that is called in turns.
class Run {
 public:
  /// `disk`: the ranks, if they can write files side by side; else `write` gets the fields.
  Run(program::RunFrame& frame, mpi::Communicator* disk, const Case& c, const Vessel& vessel, const RunOptions& options,
      const WriteValues& write);

  RunResult all();

 private:
  void to_the_end();
  RunResult finish();
  void finish_unstable(const Breakdown& breakdown);
  void keep_last_sound(const Breakdown& breakdown);
  void report();
  std::string unstable_text(const Breakdown& breakdown) const;
  bool converged() const { return monitors_.converged() && outlets_.settled(); }
  bool is_over() const { return manager_.step() >= calendar_.steps || converged() || outlets_.periodic(); }
  lattice::Look look(std::int64_t step) const;
  void take_row(const MonitorRow& row);
  void go_on();
  void make_tuning();
  void use(const Setting& setting);
  void run_step();
  void end_step(std::int64_t step);
  void add_files(const std::vector<std::filesystem::path>& files);
  void write_checkpoint(std::int64_t step);

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
  Rows *rows_ = nullptr, *compartments_ = nullptr;  // the second if there are any
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
  std::optional<LastSound> last_sound_;     // where a summary could show it
  std::optional<Tuning> tuning_;
  std::optional<ProgressBar> bar_;
  bool is_checkpoint_wanted_ = false;  // by a command
  double output_seconds_ = 0, started_ = 0;
};

Run::Run(program::RunFrame& frame, mpi::Communicator* disk, const Case& c, const Vessel& vessel,
         const RunOptions& options, const WriteValues& write)
    : frame_(frame), world_(frame.world()), case_(c), vessel_(vessel), scaling_(vessel.scaling), options_(options),
      disk_(disk), calendar_{.steps = steps_of(c, scaling_),
                             .monitor_every = c.monitor.every,
                             .output_every = steps_between(c.output, scaling_),
                             .convergence = c.monitor.convergence,
                             .picture_every = picture_interval(c, scaling_)},
      lattice_(make_lattice(world_, vessel, c)), step_options_{.coalesce = options.coalesce,
                                                               .messages = {.grouping = options.grouping,
                                                                            .watchdog_seconds = 60},
                                                               .progress = {.kind = options.progress},
                                                               .timeline = &frame.timeline()},
      manager_(world_, step_options_), client_(lattice_, c, scaling_, [this](std::int64_t step) { return look(step); }),
      extracts_(world_, c, vessel, client_, calendar_),
      monitors_(
          world_, client_, vessel.domain, scaling_, c.monitor, [this](const MonitorRow& row) { take_row(row); },
          c.sections, &frame.failure()),
      outlets_(world_, client_, c, vessel), limits_(make_limits(c, scaling_, vessel.domain.grid.extent)),
      steering_(world_, limits_, vessel.setup.sites, client_.controls(), calendar_, options.hooks, options.steering) {
  result_.sites = vessel.setup.sites;
  monitors_.start(manager_);
  outlets_.start(manager_);
  if (disk != nullptr) checkpoints_.emplace(*disk, c, vessel, lattice_, client_, monitors_, &extracts_.averages());
  if (options.settings.restart) go_on();  // before anything is written
  manager_.start_at(result_.from_step);
  rows_ = &frame.rows("monitors", monitor_columns(monitored_names(c)), monitors_.row().step + 1);  // told ones stay
  if (const auto columns = outlets_.columns(); !columns.empty())
    compartments_ = &frame.rows("circulation", columns, result_.from_step);
  extracts_.begin(disk, write, result_.from_step, options.settings.restart.has_value());
  steering_.start(manager_, c.output.directory / "steering.jsonl", c.title);
  pictures_ = FlowPictures::make(world_, c, vessel, client_, calendar_, options.onlooker);
  if (pictures_) {
    pictures_->add_to(manager_);
    steering_.while_paused([this] { pictures_->idle(); });
  }
  manager_.add("lattice", client_);
  if (c.output.summary && c.monitor.stability) last_sound_.emplace(lattice_, result_.from_step, calendar_.steps);
  if (options.settings.tune) make_tuning();
  if (frame.speaks()) bar_.emplace(calendar_.steps, result_.sites, stderr, result_.from_step);
}

lattice::Look Run::look(std::int64_t step) const {
  const auto look = std::max(calendar_.look(step), extracts_.look(step));
  return pictures_ && pictures_->wants_fields() ? std::max(look, lattice::Look::fields) : look;
}

void Run::take_row(const MonitorRow& row) {
  result_.last = row;
  if (world_.rank() != 0) return;
  const auto columns = row.columns(scaling_);
  rows_->append(row.step, columns);
  if (options_.hooks.on_row) frame_.failure().keep([&] { options_.hooks.on_row(row, columns); });
}

void Run::go_on() {
  if (!checkpoints_) throw Error("this run can't read checkpoints. give it MPI's ranks.", true);
  const auto state = checkpoints_->restore(*options_.settings.restart);
  frame_.go_on(state, calendar_.steps);
  result_.from_step = state.step;
  try {
    steering_.restore(state.program_state, state.step);
    outlets_.restore(state.program_state);
    extracts_.restore(state.program_state);
  } catch (const std::exception&) {  // the same on every rank
    throw InputError(program::DamagedError(state.file, "what it says of changed openings makes no sense").what(), true);
  }
}

void Run::make_tuning() {
  auto how = *options_.settings.tune;
  how.iterations = static_cast<std::size_t>(calendar_.steps - result_.from_step);
  tuning_.emplace(world_,
                  fmt::format("flow {} sites, monitors every {}, {}", result_.sites, case_.monitor.every, case_.title),
                  step_candidates(world_), how);
}

void Run::use(const Setting& setting) {
  auto other = step_options_;
  apply(setting, other);
  manager_.use(other, !tuning_->settled());
  if (!tuning_->settled()) return;
  frame_.timeline().reset();  // what follows is what is reported
  manager_.reset_counts();
}

void Run::run_step() {
  if (tuning_)
    tuning_->iterate([this](const Setting& setting) { use(setting); }, [this] { manager_.run_step(); });
  else
    manager_.run_step();
  frame_.failure().check();
  monitors_.check();
  if (last_sound_) last_sound_->between_steps(manager_.step(), monitors_.row().step);
}

void Run::to_the_end() {
  if (options_.hooks.on_start)
    options_.hooks.on_start({client_, frame_.timeline(), result_.from_step, calendar_.steps});
  const double from = started_ = now_seconds();
  while (!is_over()) {
    const double paused = steering_.paused_seconds();
    steering_.before_step(manager_.step());
    if (bar_) bar_->leave_out(steering_.paused_seconds() - paused);
    if (pictures_) pictures_->before_step(manager_.step());
    extracts_.before_step(manager_.step());
    run_step();
    end_step(manager_.step() - 1);
  }
  if ((converged() || outlets_.periodic()) && manager_.step() > result_.from_step &&
      !extracts_.is_due(manager_.step() - 1)) {
    calendar_.output_now = manager_.step();  // one more step, which leaves what is written
    extracts_.before_step(manager_.step());
    run_step();
    end_step(manager_.step() - 1);
  }
  const double seconds = now_seconds() - from - output_seconds_ - steering_.paused_seconds();
  result_.seconds = all_reduce(world_, seconds, maximum<double>());
  if (bar_) bar_->finish(manager_.step());
}

void Run::end_step(std::int64_t step) {
  if (bar_) bar_->update(step + 1);
  extracts_.average(step);
  if (compartments_ != nullptr && step % case_.monitor.every == 0) compartments_->append(step, outlets_.row());
  frame_.failure().keep([&] { steering_.check(); });
  if (pictures_) frame_.failure().keep([&] { pictures_->check(); });
  const double from = now_seconds();
  const auto& hooks = options_.hooks;
  add_files(extracts_.write(step));
  if (steering_.is_checkpoint(step)) {
    is_checkpoint_wanted_ = true;
    if (hooks.checkpoint) hooks.checkpoint(step);
  }
  if (checkpoints_ &&
      (checkpoints_->due(step + 1, is_over()) || (is_checkpoint_wanted_ && checkpoints_->can_write(step + 1))))
    write_checkpoint(step);
  if (hooks.after_step) hooks.after_step(step);
  output_seconds_ += now_seconds() - from;
}

void Run::add_files(const std::vector<std::filesystem::path>& files) {
  for (const auto& file : files)  // a table grows
    if (std::ranges::find(result_.files, file) == result_.files.end()) result_.files.push_back(file);
}

void Run::write_checkpoint(std::int64_t step) {
  frame_.sync_rows();
  const auto file = checkpoints_->write(step + 1, extracts_.with_state(outlets_.with_state(steering_.state())));
  if (is_over() || is_checkpoint_wanted_) result_.files.push_back(file);
  is_checkpoint_wanted_ = false;
  if (options_.hooks.on_checkpoint) options_.hooks.on_checkpoint(file);
}

RunResult Run::all() {
  try {
    to_the_end();
    return finish();
  } catch (const Unstable& unstable) {
    finish_unstable(unstable.breakdown());
  }
  throw UnstableRun(std::move(result_));
}

// The line says what a run with a remedy would take, which only the run itself knows.
std::string Run::unstable_text(const Breakdown& breakdown) const {
  const auto steps = static_cast<double>(manager_.step() - result_.from_step),
             sites = static_cast<double>(result_.sites);
  const double dx = scaling_.dx;
  const Known known{
      .volume = sites * dx * dx * dx, .ranks = world_.size(), .update_seconds = result_.seconds / steps / sites};
  return unstable_line(breakdown, case_, scaling_, known);
}

// What can't be written any more takes nothing from what the user has to know first.
void Run::finish_unstable(const Breakdown& breakdown) {
  const double seconds = now_seconds() - started_ - output_seconds_ - steering_.paused_seconds();
  result_.seconds = all_reduce(world_, seconds, maximum<double>());
  result_.steps = manager_.step();
  result_.unstable = UnstableEnd{.breakdown = breakdown, .line = unstable_text(breakdown)};
  try {
    frame_.failure().agree(world_);
    if (last_sound_ && last_sound_->sound().step >= 0) keep_last_sound(breakdown);
    report();
  } catch (const InputError& e) {
    if (!e.everywhere()) throw;
    result_.unstable->line += fmt::format(" what the run leaves is not whole: {}", e.what());
  }
}

// As pictures for the summary, and as a file beside the fields.
void Run::keep_last_sound(const Breakdown& breakdown) {
  const auto& sound = last_sound_->sound();
  result_.unstable->sound_step = sound.step;
  result_.wall_maps = draw_sound_maps(world_, vessel_, client_, {.snapshot = sound, .place = breakdown.place});
  if (disk_ == nullptr) return;
  std::vector<CellValues> values{{"pressure", 1, {}}, {"velocity", 3, {}}};
  for (std::size_t k = 0; k < sound.slot.size(); ++k) {
    const auto& site = sound.site(k);
    values[0].values.push_back(scaling_.pressure(1 + static_cast<double>(site.excess)));
    for (const float u : site.velocity) values[1].values.push_back(scaling_.speed(static_cast<double>(u)));
  }
  FieldWriter file(*disk_, case_.output.directory, voxel_mesh(vessel_.domain), scaling_.dx, "last_sound");
  add_files({file.write(sound.step, scaling_.time(sound.step), values)});
}

RunResult Run::finish() {
  if (tuning_) result_.tuned = tuning_->settled() ? tuning_->text() : "the flow ended before anything was chosen";
  result_.steps = manager_.step();
  monitors_.finish();
  frame_.failure().agree(world_);
  result_.converged = converged();
  result_.stopped = steering_.stopped();
  result_.last = monitors_.row();
  if (result_.steps == result_.from_step)  // where nothing was kept, what the next step would have begun with
    add_files(extracts_.write(lattice_.has_fields() ? client_.fields_step() : result_.steps, true));
  if (pictures_) {
    for (auto& file : pictures_->finish(result_.steps)) result_.files.push_back(std::move(file));
    result_.pictures = pictures_->costs();
  }
  if (case_.output.summary && result_.steps > result_.from_step)
    result_.wall_maps = draw_wall_maps(world_, vessel_, client_, extracts_);
  report();
  return std::move(result_);
}

// What was hidden, and the tables. Collective.
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
  auto frame = std::make_unique<program::RunFrame>(
      world, options.settings,
      program::RunPlace{.directory = c.output.directory, .title = c.title, .pictures = c.output.pictures});
  frame->reads(c.file);
  frame->reads(c.surface.file);
  frame->reads(options.steering.replay);
  for (const auto& opening : c.openings) frame->reads(opening.value.file);
  frame->writes_series({"monitors", "circulation", "fields", "checkpoint", "last_sound", "summary"});
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
  return Run(frame, &world, c, vessel, options, {}).all();
}

RunResult run(mpi::Communicator& world, const Case& c, const Vessel& vessel, const RunOptions& options) {
  const auto frame = make_frame(world, c, options);
  return run(world, *frame, c, vessel, options);
}

}  // namespace weft::flow
