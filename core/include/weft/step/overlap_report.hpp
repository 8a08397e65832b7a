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
  std::string name;      ///< the client's
  double compute = 0;    ///< in its callbacks
  double pack = 0;       ///< putting what leaves into messages
  double wait = 0;       ///< until its last message had come
  double unpack = 0;     ///< putting what arrived in place
  double in_flight = 0;  ///< from the first departure of a round to this client's last arrival
  /// wait / in_flight: the share of the time in flight in which the rank waited. Not the overlap fraction: messages
  /// that have arrived stay in flight until the rank looks for them. 0 if nothing was in flight.
  double waited_share() const { return in_flight > 0 ? wait / in_flight : 0; }
};

/// What one rank sent to one peer, per step.
struct OverlapPeer {
  int rank = 0;         ///< from
  int peer = 0;         ///< to
  double messages = 0;  ///< each piece of one counted
  double bytes = 0;     ///< of data
};

/// How much communication a run overlapped, over all ranks. The same on every rank.
struct OverlapReport {
  int ranks = 1;                    ///< of the run
  std::int64_t steps = 0;           ///< counted
  std::vector<OverlapRow> clients;  ///< in the order that was asked for
  OverlapRow total;  ///< compute, pack and unpack summed over clients; wait and in flight of the exchange as a whole
  bool is_counted = false;         ///< by a StepManager; else what is counted below is not known
  std::vector<OverlapPeer> peers;  ///< by rank, then peer
  double waits = 0;                ///< per step
  double collectives = 0;          ///< per step
  double computation_seconds = 0;  ///< T_comp: of the slowest rank, per step
  double step_seconds = 0;         ///< T: compute, pack, wait, unpack of the slowest rank, per step
  double exchange_seconds = 0;     ///< T_comm: a step's exchange without computation (StepManager::measure_alone)
  RunProfile profile;              ///< for a prediction

  /// weft::overlap_fraction(exchange_seconds, computation_seconds, step_seconds).
  double overlap_fraction() const;
  /// A table for a person.
  std::string text() const;
  /// The same as a JSON object.
  std::string json() const;
};

/// Of a program whose exchanges and computation write into the timeline by themselves, without a StepManager: the
/// times alone, of so many steps (1: of the whole run). Collective.
OverlapReport overlap_report(Transport& transport, const Timeline& timeline, std::int64_t steps,
                             const std::vector<std::string>& clients);

/// Gathers what the manager counted and its timeline summed since the counts were last reset. Collective.
/// `exchange_seconds` is left at 0 for the caller to set, since it is measured afterwards.
OverlapReport overlap_report(Transport& transport, const StepManager& manager, const Timeline& timeline,
                             const std::vector<std::string>& clients);

}  // namespace weft
