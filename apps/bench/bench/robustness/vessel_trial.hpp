// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/robustness/beat_balance.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::bench {

/// What became of one case.
struct VesselTrial {
  enum class End : std::uint8_t {
    ran,       ///< to its end
    refused,   ///< before it started, in spite of what was suggested or because that would cost too much
    unstable,  ///< on its way
  };
  End end = End::ran;
  std::string why;                   ///< of the last two, weft flow's own words
  std::vector<std::string> changes;  ///< key=value, as suggested
  std::int64_t sites = 0, steps = 0;
  double seconds = 0;
  std::vector<Beat> beats;  ///< of what ran
};

/// What a finding's text suggests, as key=value; none if it says nothing that a program could do: "set KEY to VALUE".
std::optional<std::string> suggested_change(const std::string& finding);

/// Checks a case as weft flow does, follows what the check suggests where it refuses, and runs it; its files go into
/// `out`. Where what is suggested would take more than `most_updates` of sites, the case counts as refused. Collective;
/// what a run throws on every rank is told, not thrown.
VesselTrial try_vessel(mpi::Communicator& world, const std::filesystem::path& case_file,
                       const std::filesystem::path& out, double most_updates);

}  // namespace weft::bench
