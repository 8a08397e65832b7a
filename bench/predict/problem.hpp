// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "predict/network.hpp"
#include "predict/runs.hpp"

namespace weft::predict {

/// The load of a step of the problem on a number of ranks. Seconds, per rank; traffic of the rank with the most.
struct Load {
  int ranks = 1;
  double compute = 0;
  double imbalance = 0;  ///< of the rank that always computes most, above `compute`
  double late = 0;       ///< of the latest of all ranks in a step, above its own mean
  double worst = 0;      ///< upper bound of the lateness
  double steps = 1;      ///< of the run, over which lateness averages out
  double pack = 0, polls = 0;
  std::vector<RunProfile::Client> clients;
  Traffic together;

  /// The lateness of the latest of `n` ranks that wait for one another in every step.
  double lateness(double n) const;
};

/// One problem in one or several runs, and its load on other numbers of ranks (the formulas are in docs/predict.md).
/// Thread-safe: constant after construction.
class Problem {
 public:
  /// Throws InputError if there is none, if they are of different problems, or if none is on 2 ranks or more.
  explicit Problem(std::vector<Run> runs);

  Load at(int ranks, Outlook outlook = Outlook::likely) const;
  const std::vector<Run>& runs() const { return runs_; }
  bool is_of(const Run& run) const;
  /// Throws InputError if the run is of another problem.
  void require_same(const Run& run) const;
  /// The run, on 2 or more ranks, whose number of ranks is nearest, in doublings.
  const Run& nearest(int ranks) const;
  /// The exponent with which a surface's bytes decrease with the ranks: 2/3 for blocks in three dimensions.
  const Range& surface_exponent() const { return exponent_; }

 private:
  void fit_surface();
  void fit_compute();
  double compute_factor(double from, double to) const;
  double imbalance_share(double ranks) const;

  std::vector<Run> runs_;
  Range exponent_;
  bool surface_is_fitted_ = false;
  double divided_ = 1, fixed_ = 0;             // computation: divided_ / ranks + fixed_
  double uneven_ = 0, uneven_a_doubling_ = 0;  // imbalance, as a fraction of the computation
};

/// The largest number of faces that a block of a cuboid, divided as evenly as possible into this number of blocks,
/// shares with others; `around`: it is periodic.
double faces_of_blocks(int ranks, bool around);

/// The largest of n numbers from a normal distribution of deviation 1, on average (Blom's approximation).
double expected_largest(double n);

}  // namespace weft::predict
