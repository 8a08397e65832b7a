// SPDX-License-Identifier: BSD-3-Clause
#include "program/run_frame.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "program/checkpoints.hpp"
#include "program/pictures.hpp"
#include "program/progress_bar.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/file/beside.hpp"
#include "weft/file/whole_file.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::program {

namespace fs = std::filesystem;

namespace {

// The path of an existing or future file, with links resolved.
fs::path canonical_path_of(const fs::path& file) {
  std::error_code error;
  const auto place = fs::weakly_canonical(fs::absolute(file, error), error);
  return error ? file : place;
}

// NAME, NAME.anything, or NAME_digits.anything.
bool is_of_series(const std::string& file, const std::string& name) {
  if (!file.starts_with(name)) return false;
  std::size_t at = name.size();
  if (at < file.size() && file[at] == '_') {
    const auto after = std::min(file.find_first_not_of("0123456789", at + 1), file.size());
    if (after > at + 1) at = after;
  }
  return at == file.size() || file[at] == '.';
}

}  // namespace

RunFrame::RunFrame(Transport& world, RunSettings settings, RunPlace place)
    : world_(world), settings_(std::move(settings)), place_(std::move(place)), timeline_(!settings_.trace.empty()) {}

void RunFrame::reads(fs::path file) {
  if (!file.empty()) read_.push_back(std::move(file));
}

void RunFrame::writes(fs::path file) {
  if (!file.empty()) written_.push_back(std::move(file));
}

void RunFrame::writes_series(const std::vector<std::string>& names) {
  series_.insert(series_.end(), names.begin(), names.end());
}

bool RunFrame::is_own(const fs::path& file) const {
  const auto place = canonical_path_of(file);
  if (std::ranges::any_of(written_, [&](const auto& other) { return canonical_path_of(other) == place; })) return true;
  if (place_.directory.empty() || place.parent_path() != canonical_path_of(place_.directory / "any").parent_path())
    return false;
  const auto name = place.filename().string();
  return std::ranges::any_of(series_, [&](const auto& series) { return is_of_series(name, series); });
}

void RunFrame::check_output(const fs::path& file, const char* option) const {
  std::error_code error;
  if (file.empty() || fs::is_other(fs::status(file, error))) return;
  for (const auto& other : read_) check_apart(file, other);
  if (settings_.restart) {
    const auto& from = settings_.restart->empty() ? place_.directory : *settings_.restart;
    check_apart(file, from);
    for (const auto& found : find_checkpoints(from)) check_apart(file, found.file);
  }
  if (is_own(file))
    throw InputError(fmt::format("{}: The run itself writes this file (so {} can't use its name). Choose another name.",
                                 file.string(), option));
}

void RunFrame::check_files() const {
  on_root(world_, [&] {
    const auto& [json, trace] = std::pair{settings_.json, settings_.trace};
    check_output(json, "--json");
    check_output(trace, "--trace");
    if (!json.empty() && !trace.empty() && canonical_path_of(json) == canonical_path_of(trace) &&
        !fs::is_other(fs::status(json)))
      throw InputError(json.string() +
                       ": The result and the trace have the same file name. Choose another name for one of them.");
    if (!json.empty()) WholeFile::check_given(json, place_.directory);
    if (!trace.empty()) WholeFile::check_given(trace, place_.directory);
  });
}

bool RunFrame::announce(const std::string& report, const std::vector<std::string>& warnings) const {
  if (world_.rank() == 0) {
    for (const auto& warning : warnings) fmt::print(stderr, "warning: {}\n", warning);
    fmt::print("{}\n", report);
    std::fflush(stdout);
  }
  return !settings_.check;
}

void RunFrame::lock() {
  if (settings_.files && !place_.directory.empty() && !lock_) lock_.emplace(world_, place_.directory);
}

void RunFrame::say_state(std::int64_t step, const fs::path& file, const std::vector<std::string>& refused,
                         std::int64_t steps) const {
  if (step > steps)
    throw InputError(
        fmt::format("{} is a checkpoint of step {} (the case ends at step {}). Give a larger number of steps.",
                    file.string(), step, steps),
        true);
  if (world_.rank() != 0) return;
  for (const auto& why : refused) fmt::print(stderr, "warning: {}\n", why);
  if (!settings_.quiet) fmt::print("restarts from {}\n", file.string());
}

Rows& RunFrame::rows(const std::string& stem, std::vector<std::string> columns, std::int64_t keep_below) {
  Rows::OnRow on_row;
  if (on_row_)
    on_row = [this, stem, columns](std::int64_t step, std::span<const double> values) {
      on_row_(stem, columns, step, values);
    };
  const auto file = settings_.files ? place_.directory / stem : fs::path();
  return rows_.emplace_back(world_, failure_, file, std::move(columns), keep_below, std::move(on_row));
}

void RunFrame::sync_rows() {
  for (auto& rows : rows_) rows.sync();
  failure_.agree(world_);
}

void RunFrame::finish_rows(std::vector<fs::path>& files) {
  for (auto& rows : rows_) rows.write_json();
  failure_.agree(world_);
  for (const auto& rows : rows_)
    for (auto& file : rows.files()) files.push_back(std::move(file));
}

void RunFrame::leave_trace(std::vector<fs::path>& files) {
  if (settings_.trace.empty()) return;
  timeline_.write_trace(world_, settings_.trace);
  files.push_back(settings_.trace);
}

void RunEnd::add(fs::path file) {
  if (std::ranges::find(files, file) == files.end()) files.push_back(std::move(file));
}

namespace {

// Chooses the kernel, and then how ranks communicate beside it.
class Tunings {
 public:
  Tunings(Transport& world, Stepped& program, const Tuning::Options& wish)
      : world_(world), program_(program), wish_(wish) {
    std::vector<Setting> kernels;
    for (auto& name : program.kernels()) kernels.push_back({{"kernel", std::move(name)}});
    if (kernels.size() < 2) {
      begin_last();
      return;
    }
    auto options = options_of();
    options.also_alone = true;
    options.period = std::max<std::size_t>(2, options.period);  // even and odd steps differ
    tuning_.emplace(world, program.problem() + ", kernel", std::move(kernels), options);
  }

  void run_step() {
    const auto use = [&](const Setting& setting) { program_.use(setting, tuning_->settled()); };
    const auto step = [&] { program_.run_step(); };
    if (tuning_->settled() && !is_last_) {
      tuning_->dry_run(use, step);  // nothing is left but to use what was chosen
      before_ = tuning_->text() + "; ";
      begin_last();
    }
    tuning_->iterate(use, step);
  }

  std::string text() const {
    return before_ + (tuning_->settled() ? tuning_->text() : "the run ended before anything was chosen");
  }

 private:
  Tuning::Options options_of() const {
    auto options = program_.tuned_by(wish_);
    options.iterations = static_cast<std::size_t>(program_.steps() - program_.step());
    return options;
  }
  void begin_last() {
    is_last_ = true;
    tuning_.emplace(world_, program_.problem(), program_.candidates(), options_of());
  }

  Transport& world_;
  Stepped& program_;
  const Tuning::Options& wish_;
  std::optional<Tuning> tuning_;
  std::string before_;
  bool is_last_ = false;
};

}  // namespace

RunEnd RunFrame::run(Stepped& program) {
  RunEnd end;
  end.from_step = program.step();
  std::optional<Tunings> tunings;
  if (settings_.tune) tunings.emplace(world_, program, *settings_.tune);
  std::optional<ProgressBar> bar;
  if (speaks()) bar.emplace(program.steps(), program.sites(), stderr, end.from_step);
  bool is_checkpoint_wanted = false, is_stopped = false;
  std::vector<fs::path> checkpoints;
  double aside = 0;
  const double from = now_seconds();
  while (!program.is_over()) {
    const double paused = program.paused_seconds();
    program.before_step();
    const double pause = program.paused_seconds() - paused;
    aside += pause;
    if (bar) bar->leave_out(pause);
    if (tunings)
      tunings->run_step();
    else
      program.run_step();
    failure_.check();
    program.after_step();
    if (program.is_broken()) break;
    if (bar) bar->update(program.step());
    const double before = now_seconds();
    for (auto& file : program.write_due()) end.add(std::move(file));
    is_checkpoint_wanted = is_checkpoint_wanted || program.is_checkpoint_due();
    if (is_checkpoint_wanted && program.can_write_checkpoint()) {
      sync_rows();
      const bool is_listed = program.is_checkpoint_listed();
      auto file = program.write_checkpoint();
      if (is_listed) checkpoints.push_back(std::move(file));
      is_checkpoint_wanted = false;
    }
    program.after_writing();
    if (between_steps_ && !is_stopped && !between_steps_(program.step())) {
      program.stop();
      is_stopped = true;
    }
    aside += now_seconds() - before;
  }
  end.seconds = all_reduce(world_, now_seconds() - from - aside, maximum<double>());
  end.steps = program.step();
  if (bar && !program.is_broken()) bar->finish(end.steps);
  for (auto& file : checkpoints)  // later checkpoints have removed some
    if (std::error_code ignored; fs::exists(file, ignored)) end.add(std::move(file));
  if (tunings) end.tuned = tunings->text();
  return end;
}

void RunFrame::leave_result(std::vector<fs::path>& files, const std::function<void(const fs::path&)>& write) {
  if (settings_.json.empty()) return;
  on_root(world_, [&] { write(settings_.json); });
  files.push_back(settings_.json);
}

void RunFrame::close(std::vector<fs::path> files) {
  print_written(world_, std::move(files), place_.pictures, place_.directory, place_.title);
}

}  // namespace weft::program
