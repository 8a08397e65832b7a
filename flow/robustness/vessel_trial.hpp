// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "weft/mpi/communicator.hpp"

namespace weft::robustness {

/// The result of one case.
struct VesselTrial {
  enum class End : std::uint8_t {
    ran,       ///< ran to its end
    refused,   ///< refused before it started
    unstable,  ///< became unstable during the run
    left_out,  ///< it would take too many site updates
  };
  End end = End::ran;
  std::string why;                        ///< reason of the last three, in weft flow's words
  std::optional<bool> runs_all_the_same;  ///< refused: whether it is stable if run anyway; empty: it can't be run
  std::optional<std::string> change;      ///< refused: the advised change, key=value
  std::optional<bool> change_helps;       ///< with the change it is stable; empty: none advised, or too expensive
  double cell_reynolds = 0;               ///< peak speed x voxel / viscosity, as expected
  std::int64_t sites = 0, steps = 0;
  double seconds = 0;
  double mass_error = 0, flow_error = 0, pressure_error = 0;  ///< of a completed run, see TrialBalance
};

/// The advice "Set KEY to VALUE" in a finding's text, as key=value; nothing if there is none.
std::optional<std::string> suggested_change(const std::string& finding);

/// Checks a case with these changes (key=value) as weft flow does, and runs it; its files are written to `out`. A
/// refused case is run anyway, and with the advised change. A case that needs more than `most_updates` site updates is
/// not run. Collective; exceptions of a run are reported in the result, not thrown.
VesselTrial try_vessel(mpi::Communicator& world, const std::filesystem::path& case_file,
                       const std::vector<std::string>& changes, const std::filesystem::path& out, double most_updates);

}  // namespace weft::robustness
