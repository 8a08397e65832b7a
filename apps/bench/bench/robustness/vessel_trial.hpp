// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "weft/mpi/communicator.hpp"

namespace weft::bench {

/// What became of one case.
struct VesselTrial {
  enum class End : std::uint8_t {
    ran,       ///< to its end
    refused,   ///< before it started
    unstable,  ///< on its way
    left_out,  ///< it would take too many updates of sites
  };
  End end = End::ran;
  std::string why;                        ///< of the last three; weft flow's own words
  std::optional<bool> runs_all_the_same;  ///< refused: past the refusal it is stable; none: it can't be run
  std::optional<std::string> change;      ///< refused: key=value, as the refusal advises
  std::optional<bool> change_helps;       ///< with it, it is stable; none: it advises nothing, or too much to be tried
  double cell_reynolds = 0;               ///< peak speed x voxel / viscosity, as expected
  std::int64_t sites = 0, steps = 0;
  double seconds = 0;
  double mass_error = 0, flow_error = 0, pressure_error = 0;  ///< of what ran, see TrialBalance
};

/// What a finding's text advises, as key=value; none if it says nothing that a program could do: "Set KEY to VALUE".
std::optional<std::string> suggested_change(const std::string& finding);

/// Checks a case, with these changes (key=value), as weft flow does and runs it; its files go into `out`. What the
/// check refuses is tried with what it advises, and past the refusal. Nothing is run that takes more than
/// `most_updates` of sites. Collective; what a run throws on every rank is told, not thrown.
VesselTrial try_vessel(mpi::Communicator& world, const std::filesystem::path& case_file,
                       const std::vector<std::string>& changes, const std::filesystem::path& out, double most_updates);

}  // namespace weft::bench
