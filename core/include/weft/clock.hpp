// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>

#include "weft/simulated.hpp"

namespace [[gnu::visibility("default")]] weft {

/// Returns the seconds since an arbitrary origin by weft's only clock, which is monotonic. On Linux all processes of
/// one machine share the origin (CLOCK_MONOTONIC), which MPI_Wtime does not promise. On a simulated machine it is the
/// simulated time.
inline double now_seconds() noexcept {
#if defined(WEFT_SIMULATED)
  return simulated::now();
#else
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
#endif
}

}  // namespace weft
