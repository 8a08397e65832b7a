// SPDX-License-Identifier: BSD-3-Clause
//
// The program `weft predict`: from a short run's profile and a network's costs to the time per step on other numbers of
// ranks. It uses no MPI and measures nothing.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "predict/step_time.hpp"

namespace weft::predict {

/// A duration for people: "12.5 ms".
std::string time_text(double seconds);

/// A measured run and its prediction.
struct Check {
  std::string name;
  int ranks = 1;
  Strategy strategy;
  double measured = 0;  ///< s per step
  Range predicted;

  double error() const { return predicted.value / measured - 1; }
  bool within() const {
    constexpr double rounding = 1e-9;  // a range may have no width
    return measured >= predicted.low * (1 - rounding) && measured <= predicted.high * (1 + rounding);
  }
};

/// The predictions for the four strategies on each number of ranks, and the conclusions.
struct Forecast {
  static constexpr std::size_t ways = 4;  ///< each client separate and all coalesced, without and with overlap
  /// Whether a time says anything: its range is not wider than itself.
  static bool is_known(const Range& time) { return time.high <= 2 * time.value; }
  struct Row {
    int ranks = 1;
    std::array<Range, ways> seconds;  ///< of a step
    std::array<StepTime, ways> parts;
    std::size_t best = 0;
    double overlap_fraction = 0;  ///< of the best
    double efficiency = 0;        ///< of the best: the fraction of the step in which an average rank computes
  };
  std::array<Strategy, ways> strategies;
  std::vector<Row> rows;
  std::optional<int> ends_at;  ///< the first number of ranks with an efficiency below 1/2
  std::string advice;
  std::vector<Check> checks;
  bool forced = false;  ///< prints times that are not known, too

  /// Whether any time is known.
  bool says_something() const;
  std::string text() const;
  std::string json() const;
};

/// The model, corrected by its errors for the given runs.
class Predictor {
 public:
  /// `of_runs`: the network of the runs, if it is another one.
  Predictor(Problem problem, Network network, std::optional<Network> of_runs = {})
      : problem_(std::move(problem)), network_(std::move(network)), is_elsewhere_(of_runs.has_value()),
        of_runs_(std::move(of_runs).value_or(network_)) {}

  /// Why a forecast from these runs would mean nothing: a run that was disturbed, or whose time is far from the
  /// model's, as it is if the network is not that of the run. Empty: it means something.
  std::string doubt() const;
  /// The time of a step on this number of ranks. For the ranks and strategy of a run, the measured time.
  Range seconds(int ranks, const Strategy& strategy) const;
  const Problem& problem() const { return problem_; }
  StepTime parts(int ranks, const Strategy& strategy) const {
    return step_time(problem_.at(ranks), network_, strategy);
  }
  /// `overlap`: the progress in the strategies with overlap: polling or thread.
  Forecast forecast(const std::vector<int>& ranks, const std::string& overlap) const;
  /// Throws InputError if the run is of another problem.
  Check check(const Run& run) const;

 private:
  StepTime model_of(const Run& run) const;

  Problem problem_;
  Network network_;
  bool is_elsewhere_;  // on another network than the runs
  Network of_runs_;
};

}  // namespace weft::predict
