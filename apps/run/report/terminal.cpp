// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include "report/findings.hpp"
#include "report/report.hpp"
#include "report/words.hpp"

namespace weft::run {
namespace {

constexpr std::size_t columns = 100, most_lines = 25;

class Lines {
 public:
  void add(const std::string& line = {}) {
    if (count_++ < most_lines) all += shortened(line, columns) + "\n";
  }
  // Broken at blanks.
  void add_text(std::string text, const std::string& indent = {}) {
    std::string start;
    while (start.size() + text.size() > columns) {
      auto end = text.rfind(' ', columns - start.size());
      if (end == std::string::npos || end == 0) break;
      add(start + text.substr(0, end));
      text.erase(0, end + 1);
      start = indent;
    }
    add(start + text);
  }
  std::string all;

 private:
  std::size_t count_ = 0;
};

std::string bar(const Findings& f) {
  constexpr double width = 60;
  const auto length = [&](double seconds) { return static_cast<std::size_t>(width * seconds / f.step_seconds + 0.5); };
  return "[" + std::string(length(f.computing), '.') + std::string(length(f.waiting), 'w') +
         std::string(length(f.late), 'l') + std::string(length(f.other), 'o') + "]";
}

}  // namespace

std::string terminal_report(const nlohmann::json& run) {
  const auto f = findings(run);
  Lines lines;
  lines.add(fmt::format("weft run: {} rank{}, {}, {}", f.ranks, f.ranks == 1 ? "" : "s", f.library,
                        time_text(f.run_seconds)));
  lines.add_text(f.headline);
  if (f.has_steps) {
    lines.add_text(fmt::format("A step takes {} and ends with {} ({:.0f} steps looked at).", time_text(f.step_seconds),
                               shortened(f.step_ends_with, 60), f.steps));
    lines.add(bar(f));
    const auto one = [&](double seconds) {
      return fmt::format("{} ({})", share_text(seconds / f.step_seconds), time_text(seconds));
    };
    lines.add_text(
        fmt::format(
            ". computing {}   w waiting for messages {}   l for ranks that came late {}   o other time in MPI {}",
            one(f.computing), one(f.waiting), one(f.late), one(f.other)),
        "  ");
  }
  lines.add();
  lines.add(f.has_steps ? "Where the time in MPI goes (a step):"
                        : "Where the time in MPI goes (the run, mean over ranks):");
  for (std::size_t i = 0; i < f.places.size() && i < 3; ++i) {
    const auto& p = f.places[i];
    lines.add(fmt::format("  {:>6} {:>9}  {}{}", share_text(p.share), time_text(p.seconds), shortened(p.where, 50),
                          p.wrapper.empty() ? "" : " by " + shortened(p.wrapper, 26)));
    lines.add(fmt::format("                    {} x {}{}{}", count_text(p.count), p.calls,
                          p.waits_for.empty() ? "" : ": ", p.waits_for));
  }
  if (!f.early) {
    lines.add();
    lines.add(f.remedies.empty() ? "Nothing to gain here." : "What to do (at most so much is gained):");
    int n = 0;
    for (const auto& r : f.remedies) {
      if (++n > 4) break;
      lines.add(fmt::format("  {}. {}: {} a step ({}){}", n, r.title, time_text(r.seconds), share_text(r.share),
                            r.places.empty() ? "" : ", at " + shortened(r.places[0], 36)));
    }
  }
  for (std::size_t i = 0; i < f.environment.size() && i < 2; ++i) lines.add_text("Note: " + f.environment[i], "  ");
  return lines.all;
}

}  // namespace weft::run
