// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <string>

namespace weft::program {

/// "step 3,440/8,000  48.2 MLUPS". `here`: the steps that took `elapsed_seconds`.
std::string step_words(std::int64_t step, std::int64_t steps, std::int64_t sites, std::int64_t here,
                       double elapsed_seconds);

/// "[#####-----]  43 %  WORDS  0:21 left", of so much work. A `total` of 0 is not known: the words alone. `from`: where
/// a run went on; what was done before takes none of the time.
std::string progress_line(std::int64_t done, std::int64_t total, const std::string& words, double elapsed_seconds,
                          std::int64_t from = 0);

/// Shows how far a run is. On a terminal one line that is redrawn at most five times a second; elsewhere (a log file) a
/// line every 10 %, none if the total is not known. For rank 0; reads the clock in every call and writes rarely.
class ProgressBar {
 public:
  /// What the line says when so much is done, of which `here` since the bar began, in so many seconds.
  using Words = std::function<std::string(std::int64_t done, std::int64_t here, double elapsed_seconds)>;

  /// Time counts from here.
  ProgressBar(std::int64_t total, Words words, std::FILE* stream = stderr, std::int64_t from = 0);
  /// Of steps, each of which updates the `sites` of all ranks.
  ProgressBar(std::int64_t steps, std::int64_t sites, std::FILE* stream = stderr, std::int64_t from_step = 0);

  /// So much is done.
  void update(std::int64_t done);
  /// Time in which nothing was to be done doesn't count.
  void leave_out(double seconds) { start_seconds_ += seconds; }
  /// Draws the last state and ends the line, also when the run stops early.
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

}  // namespace weft::program
