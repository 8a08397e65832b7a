// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "weft/tune/tuning.hpp"

namespace weft::program {

/// What a program that runs in steps says of itself; all else of a run is RunFrame's. Every rank calls the same in the
/// same order, and whatever is asked has the same answer on all of them.
class Stepped {
 public:
  Stepped() = default;
  virtual ~Stepped() = default;
  Stepped(const Stepped&) = delete;
  Stepped& operator=(const Stepped&) = delete;

  /// Steps that are done, and of the whole case.
  virtual std::int64_t step() const = 0;
  virtual std::int64_t steps() const = 0;  ///< see step()
  /// What a step updates, of all ranks: for the speed that the bar shows.
  virtual std::int64_t sites() const = 0;
  /// Whether that was the last step.
  virtual bool is_over() const { return step() >= steps(); }

  /// What comes before a step and belongs to its time, but for what paused_seconds() counts.
  virtual void before_step() {}
  virtual void run_step() = 0;  ///< one step
  /// What comes after it and belongs to its time.
  virtual void after_step() {}
  /// Seconds so far, on this rank, in which before_step() held the run because somebody paused it.
  virtual double paused_seconds() const { return 0; }
  /// Whether that step ended the run and came to nothing: nothing is written after it, and the bar stays where it was.
  virtual bool is_broken() const { return false; }
  /// Writes what is due after a step, readings included, which is not counted as the steps' time; returns the files.
  virtual std::vector<std::filesystem::path> write_due() { return {}; }

  /// Whether a checkpoint is wanted after this step.
  virtual bool is_checkpoint_due() const { return false; }
  /// Whether there can be one now; else it is written after a later step.
  virtual bool can_write_checkpoint() const { return true; }
  /// Whether that one is in the list of files at the end, if it is still there. Asked before it is written.
  virtual bool is_checkpoint_listed() const { return is_over(); }
  virtual std::filesystem::path write_checkpoint() { return {}; }  ///< returns its file
  /// When all of a step is written; not counted as the steps' time either.
  virtual void after_writing() {}

  /// What a tuned run knows itself by.
  virtual std::string problem() const = 0;
  /// What tuning chooses from.
  virtual std::vector<Setting> candidates() = 0;
  /// How tuning is to measure, of what was wished for.
  virtual Tuning::Options tuned_by(Tuning::Options wish) const { return wish; }
  /// Communicates so from the next step on. Settled: that is what was chosen, and what follows is reported.
  virtual void use(const Setting& setting, bool is_settled) = 0;
};

}  // namespace weft::program
