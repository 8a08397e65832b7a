// SPDX-License-Identifier: BSD-3-Clause
//
// Random programs whose parts are in memory of test devices, and whose results are known without running them.
//
// A program is drawn from a seed, and so are its options (grouping, carrier, progress, ...). Each rank has a device of
// its own. Kernels write what is sent, in one of two queues, and check what was received; nothing but the events that
// weft gets and sets orders them. Every value is a hash of (step, key, source, element).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "weft/device/test_device.hpp"
#include "weft/exchange/options.hpp"
#include "weft/transport/transport.hpp"

namespace weft::testing {

/// What a test leaves out or adds, to see that the model finds it.
enum class DeviceFault : std::uint8_t {
  none,
  no_event,           ///< a queue does not wait for an event
  wrong_queue,        ///< an event is recorded in another queue
  sent_early,         ///< a message leaves before it is packed
  reused_early,       ///< a buffer is received into before the last data are unpacked
  unpacked_early,     ///< data are unpacked before they arrive
  whole_device_wait,  ///< all queues are waited for
  host_copy,          ///< data are packed to a place from which the host copies them
};

struct DeviceProgram {
  std::uint64_t seed = 1;
  DeviceFault fault = DeviceFault::none;
};

/// Runs the program of this seed on ranks that are threads. Returns what is wrong; empty: nothing.
std::string run_device_program(const DeviceProgram& program);
/// A text with its options.
std::string name_of_device_program(std::uint64_t seed);

}  // namespace weft::testing
