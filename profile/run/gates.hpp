// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace weft::run {

/// When --against compares two overlap fractions, their intervals reach so far to each side, or farther: within minutes
/// a machine and its network change by so much, which no interval of one run shows (profile/tests/study).
constexpr double least_half_width = 0.05, allowed_loss = 2 * least_half_width;

/// The conditions of a test.
struct Gates {
  struct Least {
    std::string region;  ///< its name or the last part of it; empty: the whole program
    double fraction;
  };
  std::vector<Least> least;              ///< --fail-below
  std::optional<nlohmann::json> before;  ///< --against
  bool any() const { return !least.empty() || before; }
};

/// What a condition says of a region (--against: of each region of the report before).
struct TestLine {
  std::string name;  ///< different for each: "overlap of halo", "overlap of whole program against before"
  int status = 0;    ///< 0, 3 (the overlap fraction is too small), 4 (it is unknown), or a failed launcher's
  std::string text;  ///< to print
};

/// The exit status is 3 if a condition says so for certain, else 4 if one is unknown.
struct Judgement {
  int status = 0;
  std::vector<TestLine> tests;

  void add(TestLine test);
};
Judgement judge(const Gates& gates, const nlohmann::json& run);

/// Whether the program was killed, crashed or ended without MPI_Finalize.
bool has_ended_early(const nlohmann::json& run);

/// Why the overlap fraction of a report is unknown; empty if it is known.
std::string unfit(const nlohmann::json& run);

/// The same of a region of this report.
std::string unfit_region(const nlohmann::json& run, const nlohmann::json& region);

/// Puts what several runs say into the report of one of them: the number of runs, and for the program and each region
/// an interval that contains the fractions of all runs.
void add_intervals(nlohmann::json& report, const std::vector<const nlohmann::json*>& runs);

/// The overlap fraction, 0 to 1.
double overlap_of(const nlohmann::json& run);

/// Parses a share, as 60% or 0.6, with a region before it or not: halo:60%. Nothing if it is invalid.
std::optional<Gates::Least> least_of(const std::string& text);

}  // namespace weft::run
