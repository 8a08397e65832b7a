// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>

namespace [[gnu::visibility("default")]] weft {
namespace program {

/// "step 3,440/8,000  48.2 MLUPS". `here`: the number of steps that took `elapsed_seconds`.
std::string step_words(std::int64_t step, std::int64_t steps, std::int64_t sites, std::int64_t here,
                       double elapsed_seconds);

/// "[#####-----]  43 %  WORDS  0:21 left", for `total` units of work. A `total` of 0 means unknown: only the words.
/// `from`: the start of a restarted run; the work before it took no time in this run.
std::string progress_line(std::int64_t done, std::int64_t total, const std::string& words, double elapsed_seconds,
                          std::int64_t from = 0);

/// Shows the progress of a run: on a terminal one line, redrawn at most five times per second; elsewhere (a log file) a
/// line every 10 %, none if the total is unknown. For rank 0. Reads the clock in every call and writes rarely.
class ProgressBar {
 public:
  /// The words of the line at `done`, of which `here` since the bar began, after so many seconds.
  using Words = std::function<std::string(std::int64_t done, std::int64_t here, double elapsed_seconds)>;

  /// Time counts from here.
  ProgressBar(std::int64_t total, Words words, std::FILE* stream = stderr, std::int64_t from = 0);
  /// For steps that each update `sites` sites on all ranks.
  ProgressBar(std::int64_t steps, std::int64_t sites, std::FILE* stream = stderr, std::int64_t from_step = 0);

  /// Reports the work done so far.
  void update(std::int64_t done);
  /// Excludes a time without work.
  void leave_out(double seconds) { start_seconds_ += seconds; }
  /// Draws the last state and ends the line, also if the run stops early.
  void finish(std::int64_t done);

 private:
  void draw(std::int64_t done);

  std::int64_t total_, from_;
  Words words_;
  std::FILE* stream_;
  bool terminal_;
  double start_seconds_;
  double next_draw_seconds_ = 0;
  std::int64_t next_draw_;
  std::int64_t drawn_ = -1;
};

}  // namespace program
}  // namespace weft
