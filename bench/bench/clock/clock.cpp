// SPDX-License-Identifier: BSD-3-Clause
#include "bench/clock/clock.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <string>
#include <thread>

#include "bench/shared/global_clock.hpp"
#include "bench/shared/rotation.hpp"
#include "weft/clock.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {
namespace {

// A clock with an artificial offset and drift, which depend on the rank and are known to all ranks.
struct WrongClock {
  double skew, drift, from;

  WrongClock(const ClockBenchOptions& options, int rank, double begin) : from(begin) {
    // Multiples of irrational numbers modulo 1 are spread evenly and all different.
    const auto spread = [rank](double number) {
      double whole = 0;
      return 2 * std::modf(rank * number, &whole) - 1;
    };
    skew = options.skew * spread(0.6180339887);
    drift = options.drift * spread(0.7548776662);
  }
  double at(double truth) const { return truth + (skew + drift * (truth - from)); }
};

// The result of one rank in one repetition.
struct Found {
  double skew, drift, round_trip, estimate, error, later_estimate, later_error;
};

struct Method {
  std::string name, figure;
  double keep;
  std::vector<std::vector<Found>> repeats{};  // by repetition and rank

  template <class Value>
  Spread of(std::size_t rank, const Value& value) const {
    std::vector<double> values;
    for (const auto& ranks : repeats) values.push_back(value(ranks[rank]));
    return spread_of(std::move(values));
  }
  /// The worst value of the ranks whose true time is known.
  template <class Value>
  Spread worst(const std::vector<char>& known, const Value& value) const {
    std::vector<double> values;
    for (const auto& ranks : repeats) {
      double most = 0;
      for (std::size_t r = 0; r < ranks.size(); ++r)
        if (known[r]) most = std::max(most, value(ranks[r]));
      values.push_back(most);
    }
    return spread_of(std::move(values));
  }
};

Found synchronise(Transport& transport, const ClockBenchOptions& options, double keep, double span) {
  const double begin = broadcast(transport, std::vector{now_seconds()}, 0).front();
  const WrongClock mine(options, transport.rank(), begin), reference(options, 0, begin);
  GlobalClock clock(transport, {.pings = options.pings, .span_seconds = span, .keep = keep, .local = [&mine] {
                                  return mine.at(now_seconds());
                                }});
  const auto& model = clock.model();
  const auto error = [&](double truth) { return std::abs(clock.to_global(mine.at(truth)) - reference.at(truth)); };
  const double truth = now_seconds();
  Found found{.skew = model.skew,
              .drift = model.drift,
              .round_trip = model.round_trip,
              .estimate = model.error_at(mine.at(truth)),
              .error = error(truth),
              .later_estimate = 0,
              .later_error = 0};
  std::this_thread::sleep_for(std::chrono::duration<double>(span));
  const double later = now_seconds();
  found.later_estimate = model.error_at(mine.at(later));
  found.later_error = error(later);
  return found;
}

void tell(const Method& method, const std::vector<char>& known, Report& report) {
  for (std::size_t r = 1; r < known.size(); ++r) {
    const auto row = [&](const char* what, double scale, const char* unit, auto value) {
      report.result(fmt::format("{}: rank {}, {}", method.name, r, what), scaled(method.of(r, value), scale), unit);
    };
    row("skew", 1, "s", [](const Found& f) { return f.skew; });
    row("drift", 1e6, "us/s", [](const Found& f) { return f.drift; });
    row("round trip", 1e6, "us", [](const Found& f) { return f.round_trip; });
    row("error, estimated", 1e6, "us", [](const Found& f) { return f.estimate; });
    if (!known[r]) continue;
    row("error", 1e6, "us", [](const Found& f) { return f.error; });
    row("error, later", 1e6, "us", [](const Found& f) { return f.later_error; });
  }
  const auto error = scaled(method.worst(known, [](const Found& f) { return f.error; }), 1e6);
  const auto later = scaled(method.worst(known, [](const Found& f) { return f.later_error; }), 1e6);
  report.result(method.name + ": worst error", error, "us");
  report.result(method.name + ": worst error, later", later, "us");
  report.figure("clock_error_" + method.figure + "us", error);
  report.figure("clock_error_later_" + method.figure + "us", later);
}

// Rounding error of times of hours, in seconds.
constexpr double digits = 1e-8;

double share_within_estimate(const Method& method, const std::vector<char>& known) {
  double within = 0, all = 0;
  for (const auto& ranks : method.repeats) {
    for (std::size_t r = 1; r < ranks.size(); ++r) {
      if (!known[r]) continue;
      const auto& f = ranks[r];
      all += 2;
      within += (f.error <= f.estimate + digits ? 1 : 0) + (f.later_error <= f.later_estimate + digits ? 1 : 0);
    }
  }
  return all > 0 ? within / all : 1;
}

// Reports the library's clock against the global one, by the shortest reading; relative to rank 0's.
void tell_origins(Transport& transport, const ClockBenchOptions& options, double span, Report& report) {
  const GlobalClock clock(transport, {.pings = options.pings, .span_seconds = span});
  double least = 1, origin = 0;
  for (int i = 0; i < 1000; ++i) {
    const double before = now_seconds(), library = options.library_clock(), after = now_seconds();
    if (after - before >= least) continue;
    least = after - before;
    origin = library - clock.to_global(0.5 * (before + after));
  }
  const auto origins = all_gather(transport, origin);
  const auto errors = all_gather(transport, least + clock.model().error_at(now_seconds()));
  bool differ = false;
  for (std::size_t r = 1; r < origins.size(); ++r) {
    const double difference = origins[r] - origins[0], us = 1e6 * difference;
    report.result(fmt::format("MPI_Wtime: rank {}, origin after rank 0's", r), us, "us");
    differ = differ || std::abs(difference) > errors[r] + errors[0];
  }
  if (origins.size() > 1)
    report.note(differ ? "MPI_Wtime has another origin on each rank; it is not a global clock."
                       : "MPI_Wtime has the same origin on all ranks, within the errors of the clocks.");
}

}  // namespace

void clock(Transport& transport, const ClockBenchOptions& options) {
  // Open MPI's clock starts at the first call, so it is called here, before the ranks are synchronised.
  if (options.library_clock) options.library_clock();
  Report report("clock", transport, options);
  const double seconds = options.seconds_or(10, 30);
  const double span = std::clamp(seconds / 100, 0.001, 0.1);
  report.setting("seconds", seconds);
  report.setting("pings", options.pings);
  report.setting("skew", options.skew);
  report.setting("drift", options.drift);
  report.setting("span", span);

  std::vector<char> known;  // whether a rank shares rank 0's CLOCK_MONOTONIC
  known = all_gather(transport, static_cast<char>(transport.rank() == 0 || transport.shares_memory_with(0)));
  if (std::find(known.begin(), known.end(), 0) != known.end())
    report.note("The errors are of rank 0's node only (on other nodes the true time is not known).");

  std::array methods{Method{"smallest round trips", "", ClockOptions{}.keep}, Method{"mean of all", "by_mean_", 1}};
  constexpr std::size_t fewest = 3, most = 400;
  const Deadline deadline(transport, seconds);
  for (std::size_t repeat = 0; repeat < most; ++repeat) {
    if (repeat >= fewest && deadline.is_over()) break;
    for (std::size_t k = 0; k < methods.size(); ++k) {
      auto& method = methods[(repeat + k) % methods.size()];
      method.repeats.push_back(all_gather(transport, synchronise(transport, options, method.keep, span)));
    }
  }
  for (const auto& method : methods) tell(method, known, report);
  report.figure("share_within_estimate", share_within_estimate(methods.front(), known));
  if (options.library_clock) tell_origins(transport, options, span, report);
  report.finish(transport);
}

}  // namespace weft::bench
