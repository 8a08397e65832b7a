// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include "bench/collectives/computation.hpp"
#include "bench/collectives/merit.hpp"
#include "bench/collectives/suite.hpp"
#include "weft/timeline/overlap_fraction.hpp"

namespace weft::bench::collectives {
namespace {

using Work = std::vector<std::unique_ptr<Computation>>;

// The mean of the ranks' own times, which does not depend on when the ranks entered.
Measurement mean_time(std::string name, std::function<void()> run) {
  return {.name = std::move(name), .run = std::move(run), .time = Measurement::Time::mean};
}

Measurement collective_alone(Subject& s) {
  auto m = measurement_of(s);
  m.name = "overlap: " + m.name + ", collective alone";
  m.time = Measurement::Time::mean;
  return m;
}

Measurement computation_alone(const std::string& name, Computation& work, std::size_t units) {
  return mean_time(name, [&work, units] {
    for (std::size_t u = 0; u < units; ++u) work.unit();
  });
}

// The units of each computation that take `ratio` times as long as each subject.
std::vector<std::vector<std::size_t>> units_for(Suite& suite, const std::vector<std::unique_ptr<Subject>>& subjects,
                                                const Work& work, double seconds) {
  constexpr std::size_t some = 200;
  std::vector<Measurement> all;
  for (const auto& w : work) all.push_back(computation_alone(w->name(), *w, some));
  for (const auto& s : subjects) all.push_back(collective_alone(*s));
  suite.measure(all, seconds);
  std::vector<std::vector<std::size_t>> result;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const double wanted = suite.options.ratio * spread_of(all[work.size() + i].seconds).median;
    auto& units = result.emplace_back();
    for (std::size_t w = 0; w < work.size(); ++w) {
      const double one = spread_of(all[w].seconds).median / some;
      units.push_back(one > 0 ? static_cast<std::size_t>(std::max(1.0, std::round(wanted / one))) : 1);
    }
  }
  return result;
}

// Indices of one subject's measurements.
struct MeasurementIndices {
  std::size_t collective = 0;
  struct OfWork {
    std::size_t computation = 0;
    std::vector<std::size_t> overlap{};  // by progress
  };
  std::vector<OfWork> works{};
};

std::vector<std::unique_ptr<Progress>> progresses(Suite& suite) {
  std::vector<std::unique_ptr<Progress>> result;
  for (const auto kind : suite.options.progress) {
    if (kind == ProgressOptions::Kind::thread && !suite.world.thread_multiple()) {
      suite.report.note("Progress by a thread is not measured (the MPI library does not provide MPI_THREAD_MULTIPLE).");
      continue;
    }
    result.push_back(std::make_unique<Progress>(
        suite.world, ProgressOptions{.kind = kind, .interval_seconds = suite.options.poll_us * 1e-6}));
  }
  return result;
}

}  // namespace

void overlaps(Suite& suite, const std::vector<Entry>& entries, double seconds) {
  const auto& options = suite.options;
  auto sizes = options.sizes;
  if (sizes.empty() && options.quick) sizes = {8, 65536};
  if (sizes.empty()) sizes = {8, 512, 8192, 65536, 262144};
  std::vector<Kind> kinds;
  for (const auto kind : options.kinds)
    if (kind == Kind::nonblocking || kind == Kind::rounds || (kind == Kind::persistent && !options.quick))
      kinds.push_back(kind);
  if (kinds.empty()) return suite.report.note("Overlap is not measured (blocking collectives have none).");

  const auto subjects = suite.subjects(entries, kinds, sizes);
  Work work;
  work.push_back(busy_loop());
  work.push_back(matrix_vector(suite.world.size()));
  const auto units = units_for(suite, subjects, work, 0.15 * seconds);
  const auto drivers = progresses(suite);  // created here; a progress thread sleeps while nothing is in flight

  std::vector<std::unique_ptr<DrivenSubject>> driven;
  std::vector<Measurement> all;
  std::vector<MeasurementIndices> places;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    auto& s = *subjects[i];
    for (const auto& driver : drivers) driven.push_back(std::make_unique<DrivenSubject>(s, *driver));
    auto& at = places.emplace_back();
    at.collective = all.size();
    all.push_back(collective_alone(s));
    for (std::size_t w = 0; w < work.size(); ++w) {
      auto& computation = *work[w];
      const auto many = units[i][w];
      auto& of_work = at.works.emplace_back();
      of_work.computation = all.size();
      const auto alone = fmt::format("overlap: {}, {} alone", s.name(), computation.name());
      all.push_back(computation_alone(alone, computation, many));
      for (std::size_t h = 0; h < drivers.size(); ++h) {
        auto& one = *driven[i * drivers.size() + h];
        of_work.overlap.push_back(all.size());
        auto m = collective_alone(s);
        m.name = fmt::format("overlap: {}, {}, {}", s.name(), computation.name(), weft::name_of(drivers[h]->kind()));
        m.run = [&one, &computation, many] {
          one.start();
          for (std::size_t u = 0; u < many; ++u) {
            computation.unit();
            one.poll();
          }
          one.wait();
        };
        all.push_back(std::move(m));
      }
    }
  }
  suite.measure(all, 0.85 * seconds);

  std::optional<double> best;
  std::size_t seed = options.seed;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    const auto& s = *subjects[i];
    const auto tell = [&](const Measurement& m, const char* what, const std::string& computation,
                          const std::string& progress) {
      auto key = key_of("overlap", s);
      key.emplace_back("what", std::string(what));
      if (!computation.empty()) key.emplace_back("computation", computation);
      if (!progress.empty()) key.emplace_back("progress", progress);
      suite.tell(m, key);
      return key;
    };
    const auto& collective = all[places[i].collective];
    tell(collective, "collective", "", "");
    for (std::size_t w = 0; w < work.size(); ++w) {
      const auto& at = places[i].works[w];
      const auto& computation = all[at.computation];
      tell(computation, "computation", work[w]->name(), "");
      for (std::size_t h = 0; h < drivers.size(); ++h) {
        const auto& m = all[at.overlap[h]];
        auto key = tell(m, "overlap", work[w]->name(), weft::name_of(drivers[h]->kind()));
        if (collective.seconds.empty() || computation.seconds.empty() || m.seconds.empty()) continue;
        const std::vector sets{collective.seconds, computation.seconds, m.seconds};
        for (const auto& [name, in_json, figure] :
             {std::tuple("beta", "beta", &overlap_benefit),
              std::tuple("overlap fraction", "overlap_fraction", &overlap_fraction)}) {
          key[4].second = std::string(in_json);
          suite.tell(
              m.name + ", " + name,
              [&, f = figure] {
                return bootstrap(
                    sets, [&](const auto& t) { return f(t[0], t[1], t[2]); }, ++seed);
              },
              key);
        }
        const auto median = [&](std::size_t k) { return spread_of(sets[k]).median; };
        const double fraction = overlap_fraction(median(0), median(1), median(2));
        const bool told = s.entry().name == "alltoall" && s.kind() == Kind::nonblocking && s.bytes() == 65536;
        if (told) best = std::max(best.value_or(fraction), fraction);
      }
    }
  }
  if (best && options.ratio == 1.5 && suite.world.size() > 1)
    suite.report.figure("overlap_fraction_ialltoall_64k", *best);
}

}  // namespace weft::bench::collectives
