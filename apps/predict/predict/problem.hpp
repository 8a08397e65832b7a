// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "predict/network.hpp"
#include "predict/runs.hpp"

namespace weft::predict {

/// What a step of the problem would be on so many ranks. Seconds, of a rank; traffic of the rank with the most.
struct Load {
  int ranks = 1;
  double compute = 0;
  double imbalance = 0;  ///< of the rank that always computes most, above `compute`
  double late = 0;       ///< of the latest of all ranks in a step, above its own mean
  double worst = 0;      ///< that nobody is later than
  double steps = 1;      ///< of the run: over them lateness evens out
  double pack = 0, polls = 0;
  std::vector<RunProfile::Client> clients;
  Traffic together;

  /// Of the latest of `n` ranks that wait for one another in every step.
  double lateness(double n) const;
};

/// The same problem in one or several runs, and what it becomes on other ranks (docs/predict.md tells the formulas).
/// Thread-safe: nothing changes after construction.
class Problem {
 public:
  /// Throws InputError if there is none, if they are of different problems, or if none is on 2 ranks or more.
  explicit Problem(std::vector<Run> runs);

  Load at(int ranks, Outlook outlook = Outlook::likely) const;
  const std::vector<Run>& runs() const { return runs_; }
  bool is_of(const Run& run) const;
  /// Throws InputError if the run is of another problem.
  void require_same(const Run& run) const;
  /// The run whose number of ranks is the nearest, in doublings; of those on 2 ranks or more.
  const Run& nearest(int ranks) const;
  /// A surface's bytes fall with the ranks to the power of so much: 2/3 for blocks in three dimensions.
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
  double uneven_ = 0, uneven_a_doubling_ = 0;  // imbalance: a share of the computation
};

/// Faces that the block with the most shares with others, of a cuboid cut into so many as evenly as can be; `around`:
/// it is periodic.
double faces_of_blocks(int ranks, bool around);

/// The largest of n numbers from a normal distribution of deviation 1, on average (Blom's approximation).
double expected_largest(double n);

}  // namespace weft::predict
