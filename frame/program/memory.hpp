// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

namespace weft::program {

/// Resident memory of this process in bytes, including its program, libraries and MPI's buffers.
struct Memory {
  std::int64_t now = 0, most = 0;  ///< `most`: since the process began; 0 if the system does not report it
};

/// Reads a file of the kernel: for the set-up, not for a step.
Memory resident_memory();

/// Returns freed memory to the system and restarts `most`. False if the system can't.
bool restart_peak_memory();

}  // namespace weft::program
