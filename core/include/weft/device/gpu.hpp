// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>

#include "weft/device/device.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace device {

/// A device of CUDA. `ordinal`: its number in CUDA; -1: that of the calling thread's current context, or device 0 if
/// the thread has none.
///
/// The first call opens the driver (libcuda.so.1) and loads the kernels; later calls return the same object, which is
/// kept as long as the process. It uses the device's primary context, as the CUDA runtime does. (If another context is
/// current, -1 gives a device for this one.) Its kernels are in weft if nvcc was there when weft was built; if not,
/// NVRTC compiles them now, which takes a second. Throws an Error that says what is missing: the driver, a device, or
/// the kernels.
///
/// Queues, events: cudaStream_t (also cudaStreamPerThread, but not with continuations on progress threads) and
/// cudaEvent_t, or their handles in the driver. All calls
/// work in threads that have no current context, and leave the current one as it is. None waits for the device, except
/// free(), where CUDA itself does.
std::shared_ptr<Device> cuda(int ordinal = -1);

/// A device of HIP, in the same way: hipStream_t and hipEvent_t. -1: the current device. hiprtc compiles the kernels.
std::shared_ptr<Device> hip(int ordinal = -1);

/// A stream of the program, a cudaStream_t or hipStream_t, on the current device: of CUDA, or of HIP if there is no
/// CUDA driver. It must exist as long as it is used. Null: the default stream.
Queue queue(void* stream);

}  // namespace device
}  // namespace weft
