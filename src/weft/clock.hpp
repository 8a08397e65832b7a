// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

namespace weft {

/// Seconds since an arbitrary origin, monotonic: the one place where time is read.
/// On Linux all processes of one machine share the origin (CLOCK_MONOTONIC), which MPI_Wtime does not promise.
inline double now_seconds() noexcept {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

}  // namespace weft
