// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

/// What a build for simulated machines (SimGrid's SMPI; docs/simulate.md) has to be told, since there only messages take time
/// by themselves. In all other builds nothing here does anything.
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
/// Bytes a second; 0, as in the beginning: copies take no time. For all ranks, or each sets it.
void set_copy_rate(double bytes_per_second);
#else
/// Whether this is a build for simulated machines.
inline constexpr bool here = false;
/// Nothing: here a computation takes the time that it takes.
inline void compute(double) {}
/// Nothing: here a copy takes the time that it takes.
inline void copied(std::size_t) {}
/// Nothing.
inline void set_copy_rate(double) {}
#endif

}  // namespace weft::simulated
