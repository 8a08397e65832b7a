// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "weft/tune/tuning.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace program {

/// Interface of a program that runs in steps; RunFrame does the rest of a run. Every rank calls the same members in the
/// same order, and every query has the same result on all ranks.
class Stepped {
 public:
  Stepped() = default;
  virtual ~Stepped() = default;
  Stepped(const Stepped&) = delete;
  Stepped& operator=(const Stepped&) = delete;

  /// The number of steps done.
  virtual std::int64_t step() const = 0;
  virtual std::int64_t steps() const = 0;  ///< the number of steps of the case
  /// The number of sites that a step updates on all ranks, for the speed in the progress bar.
  virtual std::int64_t sites() const = 0;
  /// Whether that was the last step.
  virtual bool is_over() const { return step() >= steps(); }

  /// Ends the run after the next step, as if that were the last one of the case. Called on all ranks between two steps.
  virtual void stop() = 0;

  /// Work before a step that counts as its time, except what paused_seconds() counts.
  virtual void before_step() {}
  virtual void run_step() = 0;  ///< one step
  /// Work after a step that counts as its time.
  virtual void after_step() {}
  /// Seconds so far on this rank in which before_step() paused the run on a user's request.
  virtual double paused_seconds() const { return 0; }
  /// Whether the last step ended the run without a result (for example unstable): nothing is written after it, and the
  /// progress bar stays.
  virtual bool is_broken() const { return false; }
  /// Writes the output due after a step, monitors included; not counted as time of the steps. Returns the files.
  virtual std::vector<std::filesystem::path> write_due() { return {}; }

  /// Whether a checkpoint is wanted after this step.
  virtual bool is_checkpoint_due() const { return false; }
  /// Whether a checkpoint is possible now; else it is written after a later step.
  virtual bool can_write_checkpoint() const { return true; }
  /// Whether this checkpoint appears in the list of files at the end, if it still exists. Called before it is written.
  virtual bool is_checkpoint_listed() const { return is_over(); }
  virtual std::filesystem::path write_checkpoint() { return {}; }  ///< returns its file
  /// Called after all output of a step; not counted as time of the steps.
  virtual void after_writing() {}

  /// The key of the problem for stored tuning results.
  virtual std::string problem() const = 0;
  /// The settings from which tuning chooses.
  virtual std::vector<Setting> candidates() = 0;
  /// Before that it chooses how each rank computes, if there are several ways, on one rank too: a setting `kernel`.
  virtual std::vector<std::string> kernels() { return {}; }
  /// The options of tuning, derived from the requested ones.
  virtual Tuning::Options tuned_by(Tuning::Options wish) const { return wish; }
  /// Applies a candidate, or a kernel, from the next step on. `is_settled`: tuning has chosen it, and the following
  /// steps are reported.
  virtual void use(const Setting& setting, bool is_settled) = 0;
};

}  // namespace program
}  // namespace weft
