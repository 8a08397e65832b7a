// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

/// The interface to a build for simulated machines (SimGrid's SMPI; docs/simulate.md), where by itself only
/// communication takes time. In all other builds these functions do nothing.
namespace [[gnu::visibility("default")]] weft {
namespace simulated {

#if defined(WEFT_SIMULATED)
/// Whether this is a build for simulated machines.
inline constexpr bool here = true;
/// Seconds on the simulated machine, as weft::now_seconds() returns.
double now() noexcept;
/// Simulates a computation of this duration on this rank.
void compute(double seconds);
/// Simulates the packing, unpacking or copying of so many bytes, at the rate of set_copy_rate().
void copied(std::size_t bytes);
/// Sleeps until one of this rank's messages is complete, or for a microsecond if none is in flight.
void idle();
/// This rank waits for what another writes into shared memory, which wakes no rank: its next idle() lasts a
/// microsecond.
void looked_at_memory();
/// Brings the simulated time up to the end of this rank's calls so far. Called before the rank synchronises with others
/// in a way that is not simulated.
void catch_up();
/// A NIC-level network model, instead of SimGrid's flows (simgrid/cards.hpp).
struct Network {
  double latency = 0, rate = 0;            ///< between nodes: seconds, and bytes per second of a node's card, each way
  double near_latency = 0, near_rate = 0;  ///< within a node, for each message separately
  double call = 0, test = 0;               ///< processor time of a send or receive, and of a test
  std::size_t eager = 0;                   ///< larger messages use the rendezvous protocol
  std::size_t ranks_of_a_node = 1;
  bool progress_in_calls = false;  ///< rendezvous handshakes make progress only while a rank is in an MPI call
};
/// The network that was set, or null.
const Network* network();
/// Sets the network of all ranks, before the first message. One rank or each of them calls it.
void set_network(const Network& network);
/// Sets the rate of copies in bytes per second; 0, the default: they take no time. Called as set_network().
void set_copy_rate(double bytes_per_second);
/// Whether blocking collectives, which are used for set-up, are simulated as messages; by default they take no time.
/// Called as set_network(), outside of any collective.
void set_set_up_takes_time(bool on);
bool set_up_takes_time();
#else
/// Whether this is a build for simulated machines.
inline constexpr bool here = false;
/// Nothing: here a computation takes its real time.
inline void compute(double) {}
/// Nothing.
inline void catch_up() {}
/// Nothing: here a copy takes its real time.
inline void copied(std::size_t) {}
/// Nothing.
inline void set_copy_rate(double) {}
/// Nothing.
inline void set_set_up_takes_time(bool) {}
#endif

}  // namespace simulated
}  // namespace weft
