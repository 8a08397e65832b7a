// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weft/step/run_profile.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/timeline/timeline.hpp"
#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {

/// Where the time of one client went: seconds per step, means over the ranks.
struct OverlapRow {
  std::string name;    ///< name of the client
  double compute = 0;  ///< in the client's callbacks
  double pack = 0;     ///< copying data into messages to be sent
  double wait = 0;     ///< in the wait, until the last message of the client was complete
  double unpack = 0;   ///< copying received data to their places
  /// From the rank's first send of a round until it finds the client's last message of the round complete.
  double in_flight = 0;
  /// wait / in_flight; 0 if nothing was in flight. Not the overlap fraction: a message counts as in flight until the
  /// rank finds it complete, perhaps long after its arrival.
  double waited_share() const { return in_flight > 0 ? wait / in_flight : 0; }
};

/// What the report says of an equal part of the run (Timeline::parts), for intervals.
struct OverlapPart {
  double computation_seconds = 0;  ///< as OverlapReport's, per step
  double step_seconds = 0;         ///< likewise
  std::vector<double> wait;        ///< as OverlapRow's, by client
  std::vector<double> in_flight;   ///< likewise
};

/// What one rank sent to another one, per step.
struct OverlapPeer {
  int rank = 0;         ///< the sender
  int peer = 0;         ///< the receiver
  double messages = 0;  ///< messages; each piece counts
  double bytes = 0;     ///< bytes of data
};

/// How much of its communication a run overlapped with computation. The same on every rank.
struct OverlapReport {
  int ranks = 1;                    ///< number of ranks
  std::int64_t steps = 0;           ///< number of steps
  std::vector<OverlapRow> clients;  ///< one row per client, in the order of the argument `clients`
  OverlapRow total;  ///< compute, pack, unpack: sums over `clients`; wait, in_flight: those of the exchange as a whole
  bool is_counted = false;  ///< whether a StepManager counted; if not, the next three members and `profile` are empty
  std::vector<OverlapPeer> peers;  ///< pairs of ranks, sorted by rank, then peer
  double waits = 0;                ///< waits per step
  double collectives = 0;          ///< collectives per step
  double computation_seconds = 0;  ///< T_comp: computation per step, the largest of the ranks
  double step_seconds = 0;         ///< T: computation, packing, wait and unpacking per step, the largest of the ranks
  double exchange_seconds = 0;     ///< T_comm: a step's exchange without computation (StepManager::measure_alone)
  RunProfile profile;              ///< input of `weft predict`
  std::vector<OverlapPart> parts;  ///< of a run of at least 16 steps
  bool shares_cores = false;       ///< whether there are more ranks than cores, so that waits last longer than messages

  /// weft::overlap_fraction(T_comm, T_comp, T); 0 while exchange_seconds is 0.
  double overlap_fraction() const;
  /// The report as a table, for the user.
  std::string text() const;
  /// The report as a JSON object, of which `weft run --report` says the same as of its own; clients are its regions
  /// (docs/formats.md).
  std::string json() const;
};

/// Reports the times in a timeline, for a program without a StepManager whose exchanges and computation record there.
/// They are divided by `steps` (1: times of the whole run). `clients`: names of tracks (Timeline). Collective.
OverlapReport overlap_report(Transport& transport, const Timeline& timeline, std::int64_t steps,
                             const std::vector<std::string>& clients);

/// Reports what the manager counted and its timeline recorded since both were last reset. Collective. The caller sets
/// `exchange_seconds`, which is measured afterwards: the maximum of measure_alone() over the ranks.
OverlapReport overlap_report(Transport& transport, const StepManager& manager, const Timeline& timeline,
                             const std::vector<std::string>& clients);

}  // namespace weft
