// SPDX-License-Identifier: BSD-3-Clause
#include "program/progress_bar.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "program/readable.hpp"
#include "weft/clock.hpp"

namespace weft::program {

namespace {
constexpr double redraw_seconds = 0.2;
constexpr int width = 20;
}  // namespace

std::string progress_line(std::int64_t step, std::int64_t steps, std::int64_t sites, double elapsed_seconds,
                          std::int64_t from_step) {
  const double done = steps > 0 ? std::clamp(static_cast<double>(step) / static_cast<double>(steps), 0.0, 1.0) : 1.0;
  const auto filled = static_cast<std::size_t>(done * width);
  const auto here = static_cast<double>(step - from_step), ahead = static_cast<double>(steps - step);
  const double updates = here * static_cast<double>(sites);
  const double mlups = elapsed_seconds > 0 ? updates / elapsed_seconds / 1e6 : 0;
  const double left = here > 0 ? elapsed_seconds * ahead / here : std::numeric_limits<double>::infinity();
  return fmt::format("[{}{}] {:3} %  step {}/{}  {:.1f} MLUPS  {} left", std::string(filled, '#'),
                     std::string(width - filled, '-'), static_cast<int>(done * 100), grouped(step), grouped(steps),
                     mlups, clock_text(left));
}

ProgressBar::ProgressBar(std::int64_t steps, std::int64_t sites, std::FILE* stream, std::int64_t from_step)
    : steps_(steps), sites_(sites), from_step_(from_step), stream_(stream), terminal_(::isatty(::fileno(stream)) == 1),
      start_seconds_(now_seconds()), next_draw_seconds_(start_seconds_ + redraw_seconds),
      next_draw_step_(std::max<std::int64_t>(1, (steps + 9) / 10)) {}

void ProgressBar::update(std::int64_t step) {
  if (!terminal_) {
    if (step < next_draw_step_) return;
    draw(step);
    const auto tenths = steps_ > 0 ? step * 10 / steps_ : 10;
    next_draw_step_ = std::max(step + 1, ((tenths + 1) * steps_ + 9) / 10);
    return;
  }
  const double now = now_seconds();
  if (now < next_draw_seconds_) return;
  draw(step);
  next_draw_seconds_ = now + redraw_seconds;
}

void ProgressBar::finish(std::int64_t step) {
  if (drawn_step_ != step) draw(step);
  if (terminal_) std::fputc('\n', stream_);
  std::fflush(stream_);
}

void ProgressBar::draw(std::int64_t step) {
  drawn_step_ = step;
  const auto line = progress_line(step, steps_, sites_, now_seconds() - start_seconds_, from_step_);
  // One call a line, so that output of other ranks does not land inside it.
  const auto text = terminal_ ? "\r" + line + "\x1b[K" : line + "\n";
  std::fwrite(text.data(), 1, text.size(), stream_);
  std::fflush(stream_);
}

}  // namespace weft::program
