// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace weft::device {

/// What fake_cuda.cpp, a library in the place of the driver, was asked for. Its function fake_cuda_state() returns
/// it.
struct FakeCuda {
  int registered_pages = 0, registrations = 0;
  int contexts_changed = 0, launches = 0, waits = 0, synchronised = 0;
  int loads_fail = 0;      ///< what cuModuleLoadData() returns for what NVRTC has not made
  int compiled = 0;        ///< calls of nvrtcCompileProgram() so far
  int events_pending = 0;  ///< the next calls of cuEventQuery() find events that are not done
  char last_kernel[64] = "";
  void* (*current_context)() = nullptr;  ///< the calling thread's
};

}  // namespace weft::device
