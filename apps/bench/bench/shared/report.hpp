// SPDX-License-Identifier: BSD-3-Clause
//
// The program `weft bench`: a folder a benchmark, each against a baseline in plain MPI; here is what they share: the
// form of a report, statistics, the order of measurements, the global clock.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "bench/shared/statistics.hpp"
#include "weft/transport/transport.hpp"

namespace weft::bench {

/// What every benchmark is started with.
struct Options {
  bool quick = false;                          ///< under 45 s on 2 ranks
  std::filesystem::path json;                  ///< where the report goes besides the terminal; empty: nowhere
  std::vector<std::filesystem::path> reads{};  ///< files, which the report must not replace; see given_case() too
};

/// The one form of all benchmarks' reports: a table on the terminal, and JSON with `benchmark`, `machine`, `mpi`,
/// `settings`, `results` (one entry a measurement: what, median, low, high, unit, and details where there are any),
/// `notes` (sentences for a person), `figures` (the few named ratios that a target speaks of), and `runs` where there
/// are any. `low`, `high` are the quartiles. More ranks than cores is flagged in both.
class Report {
 public:
  using Setting = std::variant<bool, std::int64_t, double, std::string>;

  /// What a program reads of a result, besides its name for a person.
  struct Details {
    std::vector<std::pair<std::string, Setting>> key{};  ///< what it is of
    std::vector<double> samples{};                       ///< all that were kept, as they came, in the result's unit
    std::optional<Interval> interval{};                  ///< 95 %, of the median
  };

  /// What was measured ran on this, not on the ranks that report it.
  struct Machine {
    std::string mpi;
    int ranks = 1, nodes = 1;
  };

  /// Collective: the ranks' machines are counted. Throws InputError if the JSON file could not be written in the end.
  Report(std::string benchmark, Transport& transport, const Options& options);
  /// For a benchmark that starts MPI programs and is none. Throws as the other.
  Report(std::string benchmark, Machine machine, const Options& options);

  void setting(const std::string& name, Setting value) { settings_.emplace_back(name, std::move(value)); }
  void result(const std::string& what, const Spread& spread, const std::string& unit) {
    results_.push_back({what, spread, unit, {}});
  }
  void result(const std::string& what, const Spread& spread, const std::string& unit, Details details) {
    results_.push_back({what, spread, unit, std::move(details)});
  }
  /// A sentence for a person, e.g. what was best, or was left out and why; said once.
  void note(const std::string& text);
  void figure(const std::string& name, double value) { figures_.emplace_back(name, value); }
  /// What `weft predict` reads of a run that was measured: an OverlapReport's profile, as JSON.
  void run(const std::string& what, std::string profile_json) { runs_.emplace_back(what, std::move(profile_json)); }
  bool more_ranks_than_cores() const { return ranks_ > cores_; }

  /// The table, from rank 0, and the JSON file if the options name one. Collective.
  void finish(Transport& transport) const;
  /// The same of a benchmark that is no MPI program.
  void finish() const;

 private:
  struct Result {
    std::string what;
    Spread spread;
    std::string unit;
    Details details;
  };
  void check(const Options& options) const;
  std::string table() const;
  std::string json() const;

  std::string benchmark_;
  std::filesystem::path json_file_;
  std::string processor_, mpi_;
  int ranks_, cores_, nodes_;
  std::vector<std::pair<std::string, Setting>> settings_;
  std::vector<Result> results_;
  std::vector<std::string> notes_;
  std::vector<std::pair<std::string, double>> figures_;
  std::vector<std::pair<std::string, std::string>> runs_;
};

}  // namespace weft::bench
