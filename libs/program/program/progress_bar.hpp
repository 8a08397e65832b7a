// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace weft::program {

/// What the bar shows: "[#####-----]  43 %  step 3,440/8,000  48.2 MLUPS  0:21 left".
/// `from_step`: where the run went on; what was done before takes none of the time.
std::string progress_line(std::int64_t step, std::int64_t steps, std::int64_t sites, double elapsed_seconds,
                          std::int64_t from_step = 0);

/// Shows how far a run is. On a terminal one line that is redrawn at most five times a second; elsewhere (a log file) a
/// line every 10 %. For rank 0; reads the clock in every call and writes rarely.
class ProgressBar {
 public:
  /// Time counts from here. `sites` of all ranks.
  ProgressBar(std::int64_t steps, std::int64_t sites, std::FILE* stream = stderr, std::int64_t from_step = 0);

  /// After `step` steps are done.
  void update(std::int64_t step);
  /// Time in which nothing was to be done doesn't count.
  void leave_out(double seconds) { start_seconds_ += seconds; }
  /// Draws the last state and ends the line, also when the run stops early.
  void finish(std::int64_t step);

 private:
  void draw(std::int64_t step);

  std::int64_t steps_, sites_, from_step_;
  std::FILE* stream_;
  bool terminal_;
  double start_seconds_;
  double next_draw_seconds_ = 0;
  std::int64_t next_draw_step_;
  std::int64_t drawn_step_ = -1;
};

}  // namespace weft::program
