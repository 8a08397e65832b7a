// SPDX-License-Identifier: BSD-3-Clause
//
// Devices, queues and the test device.
#include "weft/device/device.hpp"

#include "c/objects.hpp"
#include "weft/device/gpu.hpp"
#include "weft/device/test_device.hpp"

namespace weft::c {

device::Queue queue_of(const weft_queue& queue) {
  if (queue.device == nullptr) {
    if (queue.stream != nullptr) throw HandleError("A weft_queue has a stream, but no device. Set both.");
    return {};
  }
  return {share(queue.device), queue.stream};
}

namespace {

device::TestDevice& test_device(weft_device device) {
  auto* const test = dynamic_cast<device::TestDevice*>(&get(device));
  if (test == nullptr) throw HandleError("The device is no test device. Make one with weft_test_device_create.");
  return *test;
}

}  // namespace
}  // namespace weft::c

using namespace weft::c;

int weft_device_cuda(int ordinal, weft_device* device) {
  return call(__func__, [&] {
    *need(device, "The address of the device") = handle_of<weft_device>(weft::device::cuda(ordinal));
  });
}

int weft_device_hip(int ordinal, weft_device* device) {
  return call(__func__,
              [&] { *need(device, "The address of the device") = handle_of<weft_device>(weft::device::hip(ordinal)); });
}

int weft_device_free(weft_device* device) {
  return call(__func__, [&] { take(device); });
}

int weft_test_device_create(uint64_t seed, weft_device* device) {
  return call(__func__, [&] {
    *need(device, "The address of the device") = handle_of<weft_device>(weft::device::TestDevice::make({.seed = seed}));
  });
}

int weft_test_device_allocate(weft_device device, size_t bytes, void** memory) {
  return call(__func__, [&] { at(memory, "The address of the memory") = test_device(device).allocate(bytes); });
}

int weft_test_device_release(weft_device device, void* memory) {
  return call(__func__, [&] { test_device(device).free(static_cast<std::byte*>(memory)); });
}

int weft_test_device_queue(weft_device device, weft_queue* queue) {
  return call(__func__, [&] { at(queue, "The address of the queue") = {device, test_device(device).make_queue()}; });
}

int weft_test_device_inside(weft_device device, void* memory, void** inside) {
  return call(__func__, [&] {
    at(inside, "The address of the memory") = test_device(device).inside(static_cast<std::byte*>(memory));
  });
}

int weft_test_device_launch(weft_queue queue, void (*kernel)(void* context), void* context) {
  return call(__func__, [&] {
    need(kernel, "The kernel");
    test_device(queue.device).launch(queue.stream, [=] { kernel(context); });
  });
}

int weft_test_device_synchronize(weft_queue queue) {
  return call(__func__, [&] { test_device(queue.device).synchronize(queue.stream); });
}
