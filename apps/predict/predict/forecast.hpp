// SPDX-License-Identifier: BSD-3-Clause
//
// The program `weft predict`: from a short run's profile and a network's costs to the time of a step on other numbers
// of ranks. It knows no MPI and measures nothing.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "predict/step_time.hpp"

namespace weft::predict {

/// A run that was measured, and what was predicted for it.
struct Check {
  std::string name;
  int ranks = 1;
  Strategy strategy;
  double measured = 0;  ///< s a step
  Range predicted;

  double error() const { return predicted.value / measured - 1; }
  bool within() const {
    constexpr double rounding = 1e-9;  // a range may be a point
    return measured >= predicted.low * (1 - rounding) && measured <= predicted.high * (1 + rounding);
  }
};

/// The four strategies on each number of ranks, and what follows.
struct Forecast {
  static constexpr std::size_t ways = 4;  ///< each alone and coalesced, without and with overlap
  struct Row {
    int ranks = 1;
    std::array<Range, ways> seconds;  ///< of a step
    std::array<StepTime, ways> parts;
    std::size_t best = 0;
    double overlap_fraction = 0;  ///< of the best
    double efficiency = 0;        ///< of the best: the share of the step in which an average rank computes
  };
  std::array<Strategy, ways> strategies;
  std::vector<Row> rows;
  std::optional<int> ends_at;  ///< the first number of ranks with an efficiency below 1/2
  std::string advice;
  std::vector<Check> checks;

  std::string text() const;
  std::string json() const;
};

/// The model, corrected by what it says of the runs themselves.
class Predictor {
 public:
  /// `of_runs`: the network that the runs were on, if it is another.
  Predictor(Problem problem, Network network, std::optional<Network> of_runs = {})
      : problem_(std::move(problem)), network_(std::move(network)), of_runs_(std::move(of_runs).value_or(network_)) {}

  /// Of a step on so many ranks. The same ranks and strategy as a run: what that run measured.
  Range seconds(int ranks, const Strategy& strategy) const;
  const Problem& problem() const { return problem_; }
  StepTime parts(int ranks, const Strategy& strategy) const {
    return step_time(problem_.at(ranks), network_, strategy);
  }
  /// `overlap`: who drives messages in the ways with overlap: polling or thread.
  Forecast forecast(const std::vector<int>& ranks, const std::string& overlap) const;
  /// Throws InputError if the run is of another problem.
  Check check(const Run& run) const;

 private:
  StepTime model_of(const Run& run) const;

  Problem problem_;
  Network network_, of_runs_;
};

}  // namespace weft::predict
