// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>

#include "weft/device/device.hpp"

namespace weft::python {

namespace nb = nanobind;

/// The device in whose memory an array is: a test device of this process that has the address, otherwise a GPU; null
/// for memory that the host uses, too. Throws an Error if it can't be used, such as without a driver. `what` begins
/// other messages.
std::shared_ptr<device::Device> device_of(nb::handle array, const void* address, const char* what);

/// The kind and number of DLPack of an array's device; nothing if the array does not know.
struct DlpackDevice {
  int kind, number;
  bool is_host() const { return kind == 1 || kind == 3 || kind == 11; }  ///< also pinned memory
  bool is_gpu() const { return kind == 2 || kind == 10 || kind == 13; }  ///< of CUDA, of HIP, managed
};
std::optional<DlpackDevice> dlpack_device_of(nb::handle array);

/// The queue of a stream of CuPy, PyTorch or Numba, any object with __cuda_stream__, a handle as an integer, or a
/// TestQueue, which knows its device. No queue for None, and if there is no device. Throws a TypeError for anything
/// else.
device::Queue queue_of(nb::handle stream, const std::shared_ptr<device::Device>& device);
/// The queue that an array names in its interface (CuPy: its current stream), asked now; otherwise no queue.
device::Queue own_queue_of(nb::handle array, const std::shared_ptr<device::Device>& device);

/// Kernels of a test device may be functions of Python, which need the GIL. While there is one, calls release the GIL
/// that may wait for a progress thread.
bool kernels_may_need_gil();
struct GilForKernels {
  GilForKernels() {
    if (kernels_may_need_gil()) released.emplace();
  }
  std::optional<nb::gil_scoped_release> released;
};

/// The argument of functions that take a stream, in signatures.
#define WEFT_STREAM "stream: object | None = None"

}  // namespace weft::python
