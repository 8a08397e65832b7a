// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace weft::program {

/// What this process has of the machine's memory, bytes: its program, libraries and buffers of MPI's included.
struct Memory {
  std::int64_t now = 0, most = 0;  ///< `most` since the process began; 0 where the system does not tell
};

/// Reads a file of the kernel's: for set-up, not for a step.
Memory resident_memory();

/// Gives memory that was freed back to the system and lets `most` begin anew. False where the system has no way to.
bool restart_peak_memory();

}  // namespace weft::program
