// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace program {

/// Resident memory of this process in bytes, including its program, libraries and MPI's buffers.
struct Memory {
  std::int64_t now = 0, most = 0;  ///< `most`: since the process began; 0 if the system does not report it
};

/// Reads a file of the kernel: for the set-up, not for a step.
Memory resident_memory();

/// Returns freed memory to the system and restarts `most`. False if the system can't.
bool restart_peak_memory();

/// Memory available to a program, in bytes: the machines', or the lower limit of a container or batch job. The sum over
/// all machines of the ranks, each counted once; 0 if the system does not report it. Collective.
std::int64_t machines_memory(Transport& transport);

/// Throws InputError on every rank if `what` needs more than the machines' memory. `bytes` is the sum over all ranks,
/// `advice` the sentence (without its full stop) that tells what to do. Collective.
void require_memory(Transport& transport, double bytes, const std::string& what, const std::string& advice);

}  // namespace program
}  // namespace weft
