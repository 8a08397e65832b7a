// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run/report/environment.hpp"
#include "run/report/places.hpp"
#include "run/report/remedies.hpp"
#include "run/report/text.hpp"

namespace weft::run {

/// A duration with its share of a step, and both as they are printed
/// everywhere.
struct Amount {
  double seconds = 0;
  double units = 0, tenths = 0;  ///< in the last digits of what is printed
  std::string time, share;       ///< "11.82 us", "34.8 %"
};

/// What the page and the terminal say. All numbers that both print are made
/// here, once.
///
/// A step (mean over ranks) is computing + messages + late + other; the last three are the time in calls of MPI.
/// Communication that is not hidden is messages + other; late ranks are imbalance. What is hidden has no share of the
/// step: of messages that are on their way at the same time each counts, so it may be more than the step.
struct Findings {
  Reading reading;
  bool has_means = false;   ///< what is below is of the mean step; else of the
                            ///< whole run, and less is known
  bool has_steps = false;   ///< and that is a step, not the whole run as if it were one
  bool told_apart = false;  ///< messages, late and other are known
  bool can_hide = false;    ///< there were messages that take time
  std::string per;          ///< "step" or "run"
  double steps_of_run = 0;

  DurationScale scale{1};
  Amount step, computing, in_calls, messages, late, other, communication, needed, overlappable, hidden;
  std::string overlap_percent;  ///< the overlap fraction

  std::string headline;             ///< one sentence: how much is communication, and how
                                    ///< much of it is hidden
  std::vector<std::string> asides;  ///< what has to be known with it: late ranks, ended early
  std::string run_line;             ///< "8 ranks, Open MPI v4.1.4, 1.39 s ..."
  std::string step_line;            ///< what a step is
  Places places;
  std::vector<Amount> place_amounts;   ///< of places.all; they add up to in_calls
  std::vector<Remedy> remedies;        ///< worth it
  std::vector<Remedy> small_remedies;  ///< gain less than a hundredth
  std::vector<Fact> facts;

  Amount amount(double seconds) const;
  std::string calls_of(const Place& place) const;       ///< "1.8 calls a step"
  std::string gain(const Remedy& remedy) const;         ///< "11.82 us a step (34.8 %)"
  std::string gain_of_run(const Remedy& remedy) const;  ///< "4.73 ms over the run's 400 steps", or empty
  std::string nothing_to_gain() const;                  ///< if there are no remedies: why
};

Findings findings_of(const nlohmann::json& run);

}  // namespace weft::run
