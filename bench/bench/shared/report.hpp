// SPDX-License-Identifier: BSD-3-Clause
//
// The program `weft bench`: one folder per benchmark, each with a baseline in plain MPI. This folder has the shared
// parts: the report, statistics, the order of measurements, the global clock.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "bench/shared/statistics.hpp"
#include "weft/transport/transport.hpp"

namespace weft::bench {

/// The options of all benchmarks.
struct Options {
  bool quick = false;                          ///< under 45 s on 2 ranks
  std::filesystem::path json;                  ///< additional file for the report; empty: none
  std::vector<std::filesystem::path> reads{};  ///< input files, which are not replaced; see also given_case()
};

/// The options of benchmarks that measure for a given time.
struct TimedOptions : Options {
  double seconds = 0;  ///< approximate measuring time; 0: the default of the benchmark
  double seconds_or(double quick_default, double full_default) const {
    return seconds > 0 ? seconds : quick ? quick_default : full_default;
  }
};

/// The report of all benchmarks: a table on the terminal, and JSON with `benchmark`, `machine`, `mpi`, `settings`,
/// `results` (one entry per measurement: what, median, low, high, unit, and optional details), `notes` (sentences for
/// the reader), `figures` (the few named ratios for which there are targets), `intervals` (95 %, of the figures that
/// are medians; of fewer than 6 samples minimum and maximum), and optional `runs`. `low` and `high` are the quartiles.
/// More ranks than cores is flagged in both.
class Report {
 public:
  /// A flag, a number, a text, or a value that has a name_of().
  struct Setting {
    template <class Value>
    Setting(const Value& of) {  // NOLINT: converts
      if constexpr (std::is_enum_v<Value>)
        value = std::string(name_of(of));
      else if constexpr (std::is_integral_v<Value> && !std::is_same_v<Value, bool>)
        value = static_cast<std::int64_t>(of);
      else if constexpr (std::is_convertible_v<Value, std::string_view>)
        value = std::string(of);
      else
        value = of;
    }
    std::variant<bool, std::int64_t, double, std::string> value;
  };

  /// Details of a result for programs, in addition to its readable name.
  struct Details {
    std::vector<std::pair<std::string, Setting>> key{};  ///< the parameters of the result
    std::vector<double> samples{};                       ///< all kept samples in order, in the result's unit
    std::optional<Interval> interval{};                  ///< 95 %, of the median
  };

  /// The machine of the measurements, if they did not run on the reporting ranks.
  struct Machine {
    std::string mpi;
    int ranks = 1, nodes = 1;
  };

  /// Collective: counts the ranks' machines. Throws an InputError if the JSON file can't be written.
  Report(std::string benchmark, Transport& transport, const Options& options);
  /// For a benchmark that starts MPI programs but is not one. Throws as the other constructor.
  Report(std::string benchmark, Machine machine, const Options& options);

  void setting(const std::string& name, Setting value) { settings_.emplace_back(name, std::move(value)); }
  void result(const std::string& what, const Spread& spread, const std::string& unit) {
    results_.push_back({what, spread, unit, {}});
  }
  void result(const std::string& what, const Spread& spread, const std::string& unit, Details details) {
    results_.push_back({what, spread, unit, std::move(details)});
  }
  /// A result without a spread.
  void result(const std::string& what, double value, const std::string& unit) {
    result(what, {value, value, value}, unit);
  }
  /// Adds a sentence for the reader, e.g. the best result, or what was not measured and why; duplicates are dropped.
  void note(const std::string& text);
  void figure(const std::string& name, double value) { figure(name, Spread{value, value, value}); }
  void figure(const std::string& name, const Spread& spread) { figures_.emplace_back(name, spread); }
  /// Adds the profile of a measured run (of an OverlapReport, as JSON), which `weft predict` reads.
  void run(const std::string& what, std::string profile_json) { runs_.emplace_back(what, std::move(profile_json)); }
  bool more_ranks_than_cores() const { return ranks_ > cores_; }

  /// Prints the table on rank 0, and writes the JSON file if the options name one. Collective.
  void finish(Transport& transport) const;
  /// The same for a benchmark that is not an MPI program.
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
  std::vector<std::pair<std::string, Spread>> figures_;
  std::vector<std::pair<std::string, std::string>> runs_;
};

}  // namespace weft::bench
