// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "advise/recorder.hpp"
#include "advise/steps.hpp"
#include "advise/ticks.hpp"

namespace weft::advise {

/// Transfer times of messages while both ends are inside MPI, measured by a few ping-pongs at the program's start.
struct Path {
  static constexpr std::size_t sizes = 5;
  static constexpr std::array<double, sizes> bytes = {8, 4096, 32768, 262144, 2097152};
  std::array<double, sizes> seconds{};  ///< one way
  double message_seconds = 0;           ///< cost of one more small message, for the sender and for the receiver
  double eager_bytes = 0;               ///< larger messages use the rendezvous protocol

  /// Linear interpolation between the sizes, extrapolation by the last two.
  double time_of(double size) const;
};

struct NetworkModel {
  Path near, far;                  ///< within a node, between nodes
  std::vector<int> node;           ///< node of each rank of MPI_COMM_WORLD
  double wait_seconds = 0;         ///< duration of a wait for a complete request
  double copy_seconds_a_byte = 0;  ///< in the cache
  double clock_offset = 0;         ///< rank 0's clock minus this one's
  int self = 0;

  const Path& path_to(int peer) const {
    const bool same = peer < 0 || node[static_cast<std::size_t>(peer)] == node[static_cast<std::size_t>(self)];
    return same ? near : far;
  }
};

/// When the other side posted a message; of a collective, when the last rank arrived.
struct OtherSide {
  bool known = false;
  double posted = 0;  ///< common clock, seconds
  /// The sender's size of a message: a receive may have more memory than was sent.
  std::uint64_t bytes = ~std::uint64_t{0};
  std::uint64_t key = 0;  ///< a number of the message: the same on both sides
  bool again = false;     ///< the message is in the other side's part of a replay, too
};

/// A message in flight, as far as it can be reconstructed.
///
/// The calls show when a request was posted and which call found it complete, not when the data were transferred. So: a
/// message starts when both sides have posted it (an eager one: when it was sent). With constant progress it would take
/// `needed` (the transfer time measured at the program's start, at most the time that it took). The time that the
/// program waits for it after its start, and after the start of all messages of the same wait, is exposed (of several
/// messages, each has its share of what they need together); the rest of
/// `needed` is overlapped, as far as the program was outside MPI before the wait:
///     overlapped = needed - (complete - max(waited, start)), at least 0, at most the time outside of calls in between
/// The overlap fraction (weft/timeline/overlap_fraction.hpp) of a message with T_comm = needed and T_comp = the
/// computation of a step is overlapped / min(needed, T_comp); of several messages, the sum over the sum.
///
/// Where the steps were replayed (replay.hpp), T_comm of all messages between ranks is known together: alone. Then
///     overlapped = alone - (time in their calls, and in others while they advance + time without a core, because of
///              them, outside of calls), at least 0, at most alone, T_comp, and the sum of the messages' times between
///              post and wait outside of calls,
/// which is the definition of the overlap fraction, with T_comp without the time in which other programs had the core.
/// If a progress thread may have had it, that time is subtracted, too. A rank that computes less than another may wait
/// for it without having more communication; that much of the time that it waits for late ranks is left out. A message
/// gets its share of alone by the needed time above, and of overlapped by the time between its post and its wait.
struct Flight {
  double start = 0, finish = 0;  ///< common clock; finish is an upper bound unless the wait had to wait
  double needed = 0, overlapped = 0;
  double between = 0;  ///< outside of calls, between the post (or an eager message's start) and the wait
  double late = 0;     ///< time waited for the other side to post
  bool eager = false;
};

/// Sums of a call site. Only doubles, so that they can be added as an array.
struct SiteVerdict {
  double calls = 0;  ///< of the analysed steps, as all sums here
  double messages = 0, bytes = 0;
  double inside_seconds = 0;  ///< in the call
  double flight_seconds = 0, needed_seconds = 0, overlapped_seconds = 0, late_seconds = 0;
  double overlappable_seconds = 0;  ///< min(needed, computation of a step)
  double exposed_seconds = 0;       ///< part of the time in its calls: waiting for messages in flight
  double wait_late_seconds = 0;     ///< part of the time in its calls: waiting for a late rank
  double sync_points = 0;
  double helper_seconds = 0;  ///< of a wait: estimated gain of a progress thread
};

/// The overlap of parts of the analysed steps, from which an interval of the overlap fraction follows.
struct Blocks {
  static constexpr std::size_t count = 8;
  std::array<double, count> overlapped{}, overlappable{};
};
/// The 95 % interval of the overlap fraction, by Student's t of the blocks' fractions; none if a block has no messages.
std::optional<std::array<double, 2>> interval_of(const Blocks& blocks);

/// Sums of a region with those inside it, of the analysed steps.
struct RegionVerdict {
  SiteVerdict sums;    ///< calls: how often it was entered; inside_seconds: in MPI
  double seconds = 0;  ///< in the region
  Blocks blocks;
  RegionVerdict& operator+=(const RegionVerdict& other);
};
/// Adds all sums.
SiteVerdict& operator+=(SiteVerdict& to, const SiteVerdict& from);
Blocks& operator+=(Blocks& to, const Blocks& from);

/// Sums of a rank's steps, per step except `steps`. Only doubles, so that they can be reduced over the ranks.
struct StepVerdict {
  double steps = 0, seconds = 0, mpi_seconds = 0, calls = 0;
  double peers = 0, messages = 0;                     ///< sent
  double messages_to_a_peer = 0;                      ///< to the peer that gets most
  double packed_to_a_peer = 0;                        ///< if the messages between two waits were aggregated
  double coalesce_seconds = 0;                        ///< saved by that
  double sync_points = 0, sync_seconds = 0;           ///< saved by one wait instead of them
  double helper_seconds = 0;                          ///< saved by a progress thread
  double matched = 0;                                 ///< share of messages whose other side is known
  double needed_seconds = 0, overlapped_seconds = 0;  ///< eager messages count at their receiver only
  double overlappable_seconds = 0;  ///< of each message min(needed, computation of a step); of a replay of all
  double exposed_seconds = 0;       ///< not overlapped, each message once
  double replayed = 0;              ///< 1: needed_seconds was measured by a replay
  double late_seconds = 0;          ///< waiting for late ranks
};

/// What the messages of the last steps take alone (replay.hpp).
struct ReplayTime {
  double seconds = -1;     ///< per step, of the slowest rank; below 0: not known
  double waited = 0;       ///< share of it in which this rank waited for a core
  std::uint64_t from = 0;  ///< number of their first event
};

/// 0 to 1; 0 where nothing can be overlapped.
inline double overlap_fraction(double overlapped, double overlappable) {
  return overlappable > 0 ? std::min(1.0, overlapped / overlappable) : 0;
}

struct Verdict {
  std::vector<SiteVerdict> sites;      ///< one for each of the recorder's
  std::vector<RegionVerdict> regions;  ///< likewise; the first is the whole program
  StepVerdict step;
};

/// Reconstructs the flights of messages and sums them. `others` is indexed by event number from `steps.starts.front()`.
class Judge {
 public:
  Judge(const Recorder& recorder, const Steps& steps, const NetworkModel& network, const TickScale& scale,
        std::vector<OtherSide> others, double waited_for_core = 0, const ReplayTime& replay = {});

  /// Compares with the replay, if there was one. `longest_computation`: of all ranks, per step.
  void compare_with_replay(double longest_computation);
  /// Outside of calls, per step; without the time in which this rank waited for a core because messages kept it busy,
  /// if it did so at any time alike.
  double computation() const { return computation_ * (1 - waited_for_core_); }

  bool is_message(const Event& event) const;
  Flight flight(std::uint64_t number) const;
  Verdict verdict() const;

 private:
  struct Alone {
    double needed = 1;        // factor of a message's needed time
    double overlapped = 0;    // factor of its time between post and wait
    double overlappable = 1;  // share of the needed time
  };
  Flight modelled(std::uint64_t number) const;
  Alone compared(std::uint64_t from, std::uint64_t end, double steps, double outside, double longest_computation) const;
  std::map<std::uint64_t, double> advancing(std::uint64_t from, std::uint64_t end,
                                            const std::vector<std::uint64_t>& calls) const;
  double needed_in(std::uint64_t from, std::uint64_t end) const;
  const Alone& alone_of(std::uint64_t number) const;
  std::uint64_t begin_of_block(std::size_t block) const;
  void judge_regions(Verdict& verdict) const;
  bool is_eager_send(const Event& event, const Flight& flight) const;
  double overlappable(std::uint64_t number, const Flight& flight) const;
  void judge_calls(Verdict& verdict) const;
  void judge_waits(Verdict& verdict) const;
  void judge_messages(Verdict& verdict) const;
  void judge_sync_points(Verdict& verdict) const;
  Flight started(std::uint64_t number) const;
  double rounds_of(const Event& event) const;
  double latency_of(const Event& event) const;
  double bytes_of(std::uint64_t number) const;
  double in_vain(std::uint64_t number) const;
  /// Time in calls up to `time`, which is not after the start of call `last`.
  double inside_until(double time, std::size_t last) const;
  /// Time outside calls between two times before that event.
  double outside_calls(double from, double to, std::uint64_t completer) const;

  /// The messages that a call completes. Together they need the time of the largest latency, and that of their bytes.
  struct Completed {
    std::uint32_t messages = 0;
    double last_start = 0;
    double latency = 0, sent = 0, received = 0;  // beyond their latencies
    double needed() const { return latency + std::max(sent, received); }
  };
  struct Inside {
    double start, finish;  // of a call
    double before;         // seconds in all calls before
  };

  const Recorder& recorder_;
  const Steps& steps_;
  const NetworkModel& network_;
  TickScale scale_;
  std::vector<OtherSide> others_;
  std::uint64_t first_, end_;
  std::vector<Completed> completed_;  // by each event (from first_)
  std::vector<Inside> calls_;         // of each event from first_
  double seconds_ = 0;                // of all steps
  double computation_ = 0;            // outside of calls, per step
  double waited_for_core_ = 0;        // because of messages; share of the time
  double alone_a_second_ = 0;         // of needed time, in the replay; 0: there was none
  // Of messages between ranks, by blocks, or of all steps if they are few; empty: there was no replay. By blocks, since
  // one step with a long output must not outweigh the others.
  std::vector<Alone> alone_;
};

}  // namespace weft::advise
