// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weft/step/run_profile.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/timeline/timeline.hpp"
#include "weft/transport/transport.hpp"

namespace weft {

/// Where one client's time went: seconds per step, mean over the ranks.
struct OverlapRow {
  std::string name;
  double compute = 0, pack = 0, wait = 0, unpack = 0;
  double in_flight = 0;  ///< from the first departure of a round to this client's last arrival
  /// Share of the time in flight in which the rank did not wait.
  double hidden_share() const { return in_flight > 0 ? 1 - wait / in_flight : 0; }
};

/// What one rank sent to one peer, per step.
struct OverlapPeer {
  int rank = 0, peer = 0;
  double messages = 0, bytes = 0;
};

/// What a run hid, over all ranks. The same on every rank.
struct OverlapReport {
  int ranks = 1;
  std::int64_t steps = 0;
  std::vector<OverlapRow> clients;
  OverlapRow total;  ///< compute, pack and unpack summed over clients; wait and in flight of the exchange as a whole
  std::vector<OverlapPeer> peers;
  double synchronisation_points = 0, collectives = 0;  ///< per step
  double computation_seconds = 0;  ///< T_comp: of the slowest rank, per step
  double step_seconds = 0;         ///< T_overlap: compute, pack, wait, unpack of the slowest rank, per step
  double exchange_seconds = 0;     ///< T_comm: a step's exchange with nothing to hide behind (StepManager::measure_alone)
  RunProfile profile;              ///< for a prediction

  /// (T_comm + T_comp - T_overlap) / min(T_comm, T_comp): 1 is perfect overlap, below 0 overlap hurts.
  double hidden_fraction() const;
  /// A table for a person.
  std::string text() const;
  /// The same as a JSON object.
  std::string json() const;
};

/// Gathers what the manager counted and its timeline summed since the counts were last reset. Collective.
/// `exchange_seconds` is left at 0 for the caller to set, since it is measured afterwards.
OverlapReport overlap_report(Transport& transport, const StepManager& manager, const Timeline& timeline,
                             const std::vector<std::string>& clients);

}  // namespace weft
