// SPDX-License-Identifier: BSD-3-Clause
#include "program/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "program/readable.hpp"
#include "weft/clock.hpp"

namespace weft::program {

namespace {
constexpr double redraw_seconds = 0.2;
constexpr int width = 20;
}  // namespace

std::string step_words(std::int64_t step, std::int64_t steps, std::int64_t sites, std::int64_t here,
                       double elapsed_seconds) {
  const double updates = static_cast<double>(here) * static_cast<double>(sites);
  const double mlups = elapsed_seconds > 0 ? updates / elapsed_seconds / 1e6 : 0;
  return fmt::format("step {}/{}  {:.1f} MLUPS", grouped(step), grouped(steps), mlups);
}

std::string progress_line(std::int64_t done, std::int64_t total, const std::string& words, double elapsed_seconds,
                          std::int64_t from) {
  if (total <= 0) return words;
  const double share = std::clamp(static_cast<double>(done) / static_cast<double>(total), 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(share * width);
  const auto here = static_cast<double>(done - from), ahead = static_cast<double>(total - done);
  const double left = here > 0 ? elapsed_seconds * ahead / here : std::numeric_limits<double>::infinity();
  return fmt::format("[{}{}] {:3} %  {}  {} left", std::string(filled, '#'), std::string(width - filled, '-'),
                     static_cast<int>(share * 100), words, clock_text(left));
}

ProgressBar::ProgressBar(std::int64_t total, Words words, std::FILE* stream, std::int64_t from)
    : total_(total), from_(from), words_(std::move(words)), stream_(stream), terminal_(::isatty(::fileno(stream)) == 1),
      start_seconds_(now_seconds()), next_draw_seconds_(start_seconds_ + redraw_seconds),
      next_draw_(std::max<std::int64_t>(1, total / 10 + (total % 10 > 0 ? 1 : 0))) {}

ProgressBar::ProgressBar(std::int64_t steps, std::int64_t sites, std::FILE* stream, std::int64_t from_step)
    : ProgressBar(
          steps,
          [steps, sites](std::int64_t step, std::int64_t here, double seconds) {
            return step_words(step, steps, sites, here, seconds);
          },
          stream, from_step) {}

void ProgressBar::update(std::int64_t done) {
  if (!terminal_) {
    if (total_ <= 0 || done < next_draw_) return;
    draw(done);
    const auto tenths = static_cast<std::int64_t>(10 * (static_cast<double>(done) / static_cast<double>(total_)));
    next_draw_ = std::max(done + 1, static_cast<std::int64_t>(
                                        std::ceil(static_cast<double>(tenths + 1) / 10 * static_cast<double>(total_))));
    return;
  }
  const double now = now_seconds();
  if (now < next_draw_seconds_) return;
  draw(done);
  next_draw_seconds_ = now + redraw_seconds;
}

void ProgressBar::finish(std::int64_t done) {
  if (drawn_ != done && (terminal_ || total_ > 0)) draw(done);
  if (terminal_) std::fputc('\n', stream_);
  std::fflush(stream_);
}

void ProgressBar::draw(std::int64_t done) {
  drawn_ = done;
  const double elapsed = now_seconds() - start_seconds_;
  const auto line = progress_line(done, total_, words_(done, done - from_, elapsed), elapsed, from_);
  // One call per line, so that output of other ranks does not get into it.
  const auto text = terminal_ ? "\r" + line + "\x1b[K" : line + "\n";
  std::fwrite(text.data(), 1, text.size(), stream_);
  std::fflush(stream_);
}

}  // namespace weft::program
