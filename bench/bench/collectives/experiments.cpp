// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "bench/collectives/delay_pattern.hpp"
#include "bench/collectives/measure.hpp"
#include "bench/collectives/suite.hpp"
#include "bench/shared/spend.hpp"
#include "weft/simulated.hpp"
#include "weft/timeline/overlap_fraction.hpp"

namespace weft::bench::collectives {

namespace {

// CRESTA's computation: products of a vector and a matrix with as many rows as there are ranks.
class MatrixVector {
 public:
  explicit MatrixVector(std::size_t rows)
      : rows_(rows), matrix_(rows * rows, 0.5 / static_cast<double>(rows)), in_(rows, 1.0), out_(rows) {}
  [[gnu::noinline]] void unit() {
    if constexpr (simulated::here) return simulated::compute(1e-6);
    for (std::size_t n = 0; n < 512; n += rows_) row();  // multiplications, at least
  }

 private:
  void row() {
    const double* row = matrix_.data() + at_ * rows_;
    double sum = 0;
    for (std::size_t k = 0; k < rows_; ++k) sum += row[k] * in_[k];
    out_[at_] = sum + 0.5;
    if (++at_ < rows_) return;
    at_ = 0;
    std::swap(in_, out_);  // so that each product differs from the last one
  }

  std::size_t rows_, at_ = 0;
  std::vector<double> matrix_, in_, out_;
};

// A computation to overlap with, in units of a microsecond or less, between which the caller may call MPI.
struct Computation {
  std::string name;
  std::function<void()> unit;
};

std::vector<Computation> computations(int ranks) {
  return {{"busy_loop", [loop = BusyLoop()]() mutable { loop.unit(); }},
          {"matrix_vector", [product = MatrixVector(static_cast<std::size_t>(ranks))]() mutable { product.unit(); }}};
}

}  // namespace

void times(Suite& suite, const std::vector<Entry>& entries, double seconds) {
  auto sizes = suite.options.sizes;
  if (sizes.empty() && suite.options.quick) sizes = {8, 65536};
  if (sizes.empty()) sizes = {8, 64, 512, 4096, 32768, 65536, 262144, 1048576};
  if (suite.options.sizes.empty()) {
    // The buffers of all subjects exist at the same time, so on many ranks large sizes are only measured on request.
    constexpr std::size_t most = 4U << 20U;
    const auto large = [&](std::size_t bytes) { return bytes * static_cast<std::size_t>(suite.world.size()) > most; };
    if (std::erase_if(sizes, large) > 0)
      suite.report.note("Times of sizes above 4 MiB, summed over all ranks, are not measured.");
  }
  const auto subjects = suite.subjects(entries, suite.options.kinds, sizes);
  std::vector<Measurement> all;
  for (const auto& s : subjects) all.push_back(measurement_of(*s));
  suite.measure(all, seconds);

  std::vector<double> skews;
  for (std::size_t i = 0; i < all.size(); ++i) {
    skews.insert(skews.end(), all[i].skews.begin(), all[i].skews.end());
    all[i].name = "time: " + all[i].name;
    suite.tell(all[i], key_of("time", *subjects[i]));
  }
  for (auto& s : skews) s *= 1e6;
  suite.report.result("time: between the first and the last entry", spread_of(skews), "us",
                      {.key = {{"experiment", "skew"}}});
}

void delays(Suite& suite, const std::vector<Entry>& entries, double seconds) {
  if (suite.world.size() == 1) return suite.report.note("Delayed starts are not measured (there is only one rank).");
  const auto& options = suite.options;
  auto sizes = options.sizes;
  if (sizes.empty()) sizes = options.quick ? std::vector<std::size_t>{8} : std::vector<std::size_t>{8, 4096, 65536};
  auto deltas = options.deltas_us;
  if (deltas.empty()) deltas = {10, 100, 1000};
  std::erase(deltas, 0.0);
  deltas.insert(deltas.begin(), 0.0);  // t_0
  const auto pattern = delay_pattern(suite.world, options.delayed, options.seed);
  const auto rank = static_cast<std::size_t>(suite.world.rank());

  const auto subjects = suite.subjects(entries, options.kinds, sizes);
  std::vector<Measurement> all;
  for (const auto& s : subjects)
    for (const double delta : deltas) {
      auto m = measurement_of(*s);
      m.name = fmt::format("delay {:g} us: {}", delta, m.name);
      m.delay = [&pattern, rank, delta](std::size_t turn) {
        return delta * 1e-6 * pattern[turn % pattern.size()][rank];
      };
      m.longest_delay = delta * 1e-6;
      all.push_back(std::move(m));
    }
  suite.measure(all, seconds);

  std::size_t seed = options.seed;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& s = *subjects[i / deltas.size()];
    const auto& without = all[i - i % deltas.size()];
    const double delta = deltas[i % deltas.size()];
    auto key = key_of("delay", s);
    key.emplace_back("delta_us", delta);
    key.emplace_back("what", "time");
    suite.tell(all[i], key);
    if (delta == 0 || all[i].seconds.empty() || without.seconds.empty()) continue;
    key.back().second = "benefit";
    suite.tell(
        all[i].name + ", b",
        [&] {
          const auto b = [&](const auto& t) { return delay_benefit(t[0], delta * 1e-6, t[1]); };
          return bootstrap({without.seconds, all[i].seconds}, b, ++seed);
        },
        key);
  }
}

namespace {

using Work = std::vector<Computation>;

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

Measurement computation_alone(const std::string& name, const Computation& work, std::size_t units) {
  return mean_time(name, [&work, units] {
    for (std::size_t u = 0; u < units; ++u) work.unit();
  });
}

// The units of each computation that take `ratio` times as long as each subject.
std::vector<std::vector<std::size_t>> units_for(Suite& suite, const std::vector<std::unique_ptr<Subject>>& subjects,
                                                const Work& work, double seconds) {
  constexpr std::size_t some = 200;
  std::vector<Measurement> all;
  for (const auto& w : work) all.push_back(computation_alone(w.name, w, some));
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
  const Work work = computations(suite.world.size());
  const auto units = units_for(suite, subjects, work, 0.15 * seconds);
  const auto drivers = progresses(suite);  // created here; a progress thread sleeps while nothing is in flight

  std::vector<std::unique_ptr<DrivenSubject>> driven;
  std::vector<Measurement> all;
  // Of a subject: alone; then by computation: this alone, and both by each driver.
  const auto of_work = 1 + drivers.size(), of_subject = 1 + work.size() * of_work;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    auto& s = *subjects[i];
    for (const auto& driver : drivers) driven.push_back(std::make_unique<DrivenSubject>(s, *driver));
    all.push_back(collective_alone(s));
    for (std::size_t w = 0; w < work.size(); ++w) {
      const auto& computation = work[w];
      const auto many = units[i][w];
      const auto alone = fmt::format("overlap: {}, {} alone", s.name(), computation.name);
      all.push_back(computation_alone(alone, computation, many));
      for (std::size_t h = 0; h < drivers.size(); ++h) {
        auto& one = *driven[i * drivers.size() + h];
        auto m = collective_alone(s);
        m.name = fmt::format("overlap: {}, {}, {}", s.name(), computation.name, weft::name_of(drivers[h]->kind()));
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
      key.emplace_back("what", what);
      if (!computation.empty()) key.emplace_back("computation", computation);
      if (!progress.empty()) key.emplace_back("progress", progress);
      suite.tell(m, key);
      return key;
    };
    const auto& collective = all[i * of_subject];
    tell(collective, "collective", "", "");
    for (std::size_t w = 0; w < work.size(); ++w) {
      const auto& computation = all[i * of_subject + 1 + w * of_work];
      tell(computation, "computation", work[w].name, "");
      for (std::size_t h = 0; h < drivers.size(); ++h) {
        const auto& m = (&computation)[1 + h];
        auto key = tell(m, "overlap", work[w].name, weft::name_of(drivers[h]->kind()));
        if (collective.seconds.empty() || computation.seconds.empty() || m.seconds.empty()) continue;
        const std::vector sets{collective.seconds, computation.seconds, m.seconds};
        for (const auto& [name, in_json, figure] :
             {std::tuple("beta", "beta", &overlap_benefit),
              std::tuple("overlap fraction", "overlap_fraction", &overlap_fraction)}) {
          key[4].second = in_json;
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
