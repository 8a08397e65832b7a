// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

/// What a build for simulated machines (SimGrid's SMPI; docs/simulate.md) has to be told, since there only messages
/// take time by themselves. In all other builds nothing here does anything.
namespace weft::simulated {

#if defined(WEFT_SIMULATED)
/// Whether this is a build for simulated machines.
inline constexpr bool here = true;
/// Seconds of the simulated machine: what weft::now_seconds() reads.
double now() noexcept;
/// This rank computes for so long.
void compute(double seconds);
/// So many bytes were packed, unpacked or copied: takes the time that set_copy_rate() says.
void copied(std::size_t bytes);
/// Sleeps until one of this rank's messages is complete, or for a microsecond if none is on its way.
void idle();
/// Lets the time pass that this rank's calls took so far, before it meets others in ways that are not simulated.
void catch_up();
/// A network of cards, instead of SimGrid's flows: what a message takes (simulated/cards.hpp).
struct Network {
  double latency = 0, rate = 0;            ///< between nodes: seconds, and bytes a second of a node's card each way
  double near_latency = 0, near_rate = 0;  ///< within a node, each message by itself
  double call = 0, test = 0;               ///< processor time of a send or receive, and of a test
  std::size_t eager = 0;                   ///< larger messages wait for their receiver
  std::size_t ranks_of_a_node = 1;
  bool progress_in_calls = false;  ///< those are announced and granted only while a rank is in a call
};
/// Null: none was set.
const Network* network();
/// As set_copy_rate, before the first message.
void set_network(const Network& network);
/// Bytes a second; 0, as in the beginning: copies take no time. For all ranks, or each sets it.
void set_copy_rate(double bytes_per_second);
/// Whether the blocking collectives of set-up are messages too, for who measures them; else, as in the beginning, they
/// happen at once. For all ranks, or each sets it, outside of any.
void set_set_up_takes_time(bool on);
bool set_up_takes_time();
#else
/// Whether this is a build for simulated machines.
inline constexpr bool here = false;
/// Nothing: here a computation takes the time that it takes.
inline void compute(double) {}
/// Nothing.
inline void catch_up() {}
/// Nothing: here a copy takes the time that it takes.
inline void copied(std::size_t) {}
/// Nothing.
inline void set_copy_rate(double) {}
/// Nothing.
inline void set_set_up_takes_time(bool) {}
#endif

}  // namespace weft::simulated
