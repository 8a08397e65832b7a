// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "run/report/environment.hpp"
#include "run/report/hotspots.hpp"
#include "run/report/remedies.hpp"
#include "run/report/text.hpp"

namespace weft::run {

/// A duration and its share of a step, with the printed text of both.
struct Amount {
  double seconds = 0;
  double units = 0, tenths = 0;  ///< in units of the last printed digit
  std::string time, share;       ///< "11.82 us", "34.8 %"
};

/// The content of the report on the page and on the terminal. All numbers that both print are computed here.
///
/// A step (mean over ranks) is computing + messages + late + other; the last three are the time in MPI calls.
/// Communication that is not overlapped is messages + other; late ranks are imbalance. The messages' transfer time has
/// no share of the step: it is what they would take without the computation.
/// "61 % (58 to 64 %)", or why it is unknown.
std::string overlap_of(const Reading::Region& region);

struct Findings {
  Reading reading;
  bool has_means = false;    ///< there are means per step; else only values of the whole run
  bool has_steps = false;    ///< the means are of a step, not of the whole run
  bool parts_known = false;  ///< messages, late and other are known separately
  bool can_overlap = false;  ///< there were messages with a transfer time
  std::string per;           ///< "step" or "run"
  double steps_of_run = 0;

  DurationScale scale{1};
  Amount step, computing, in_calls, messages, late, other, communication, needed, overlappable, overlapped;
  std::string overlap_percent;  ///< the overlap fraction

  std::string headline;             ///< one sentence: exposed communication and overlap fraction
  std::vector<std::string> asides;  ///< additional facts: late ranks
  /// If the report is not of a whole run: "Ended early", its explanation, and where the ranks are or were.
  std::string state, state_text;
  std::vector<std::string> ranks_now;
  std::string run_line;    ///< "8 ranks, Open MPI v4.1.4, 1.39 s ..."
  std::string step_line;   ///< the definition of a step
  std::string totals;      ///< of the whole run
  std::string ranks_line;  ///< the ranks that compute longest and shortest; empty: they hardly differ
  Hotspots places;
  std::vector<Amount> place_amounts;   ///< one per entry of places.all; they add up to in_calls
  std::size_t main_places = 0;         ///< the first ones, at most 3, without those that take no time
  std::vector<Remedy> remedies;        ///< gain at least 1 %
  std::vector<Remedy> small_remedies;  ///< gain less than 1 %
  std::vector<Fact> facts;

  Amount amount(double seconds) const;
  std::string calls_of(const Hotspot& place) const;     ///< "1.8 calls per step"
  std::string gain(const Remedy& remedy) const;         ///< "11.82 us per step (34.8 %)"
  std::string gain_of_run(const Remedy& remedy) const;  ///< "4.73 ms over the run's 400 steps", or empty
  std::string nothing_to_gain() const;                  ///< if there are no remedies: the reason
};

Findings findings_of(const nlohmann::json& run);

}  // namespace weft::run
