// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collectives/suite.hpp"

#include <fmt/format.h>

#include <cmath>

#include "bench/shared/rotation.hpp"
#include "weft/simulated.hpp"

namespace weft::bench::collectives {

std::vector<std::unique_ptr<Subject>> Suite::subjects(const std::vector<Entry>& entries, const std::vector<Kind>& kinds,
                                                      const std::vector<std::size_t>& sizes) const {
  std::vector<std::unique_ptr<Subject>> all;
  for (const auto& entry : entries)
    for (const auto kind : kinds) {
      if (!can(entry, kind)) continue;
      for (const auto bytes : sizes) {
        all.push_back(std::make_unique<Subject>(group(), entry, kind, bytes, patient));
        if (!entry.sized) break;
      }
    }
  return all;
}

void Suite::measure(std::vector<Measurement>& all, double seconds, std::size_t fewest) const {
  MeasureOptions how{.seconds = seconds, .warm_up = options.quick ? 10U : 100U, .fewest = fewest, .seed = options.seed};
  if constexpr (simulated::here) {  // simulated runs differ only in the late ranks
    how.warm_up = 1;
    how.fewest = how.batch = options.delayed.starts_with("random") ? 10U : 4U;
  }
  collectives::measure(world, clock, synchroniser, all, how);
}

void Suite::tell(const Measurement& m, Key key) {
  key.emplace_back("late", static_cast<std::int64_t>(m.late));
  key.emplace_back("converged", m.converged);
  key.emplace_back("right", m.wrong == 0);
  std::vector<double> samples;
  for (const double s : m.seconds)
    samples.push_back(std::round(s * 1e10) / 1e4);  // us; more digits are below the clock's resolution
  const auto interval = median_interval(samples);
  report.result(m.name, spread_of(samples), "us", {.key = std::move(key), .samples = samples, .interval = interval});
  if (m.seconds.empty()) report.note(m.name + ": Nothing was measured (in every run some rank was late).");
  if (m.wrong == 0) return;
  ++failed;
  report.note(fmt::format("FAILED: {}: wrong results ({} times).", m.name, m.wrong));
}

void Suite::tell(const std::string& what, const std::function<Estimate()>& estimate, Key key) {
  if (world.rank() != 0) return;
  const auto e = estimate();
  report.result(what, e.spread, "", {.key = std::move(key), .samples = {}, .interval = e.interval});
}

Key key_of(const char* experiment, const Subject& subject) {
  return {{"experiment", std::string(experiment)},
          {"operation", subject.entry().name},
          {"kind", std::string(kind_names.of(subject.kind()))},
          {"bytes", static_cast<std::int64_t>(subject.bytes())}};
}

Measurement measurement_of(Subject& subject) {
  return {.name = subject.name(),
          .run = [&subject] { subject.run(); },
          .prepare = [&subject] { subject.fill(); },
          .right = [&subject] { return subject.right(); },
          .synchronises = subject.entry().synchronises};
}

}  // namespace weft::bench::collectives
