// SPDX-License-Identifier: BSD-3-Clause
#include "weft/device/device.hpp"

#include "weft/yield.hpp"

namespace weft::device {
namespace {

// Runs copy(queue, shape) in a queue of its own, with this memory of the host pinned.
template <class Copy>
void copy_alone(const Region& region, std::byte* host, const Copy& copy) {
  const auto& device = region.device();
  const auto shape = device->prepare(region.layout(), region.bytes());
  const std::shared_ptr<void> queue(device->make_queue(), [&](void* made) { device->free_queue(made); });
  const std::span memory(host, region.bytes());
  device->pin(memory);
  const std::shared_ptr<void> pinned(host, [&](void*) { device->unpin(memory); });
  Event event(device);
  copy(queue.get(), *shape);
  event.record(queue.get());
  while (!event.is_done()) yield();
}

}  // namespace

void read(const Region& region, std::byte* out) {
  if (!region.device()) return region.pack(out);
  if (region.bytes() == 0) return;
  copy_alone(region, out, [&](void* queue, const Shape& shape) {
    region.device()->pack(queue, shape, {0, region.bytes()}, out);
  });
}

void write(const Region& region, const std::byte* in) {
  if (!region.device()) return region.unpack(in);
  if (region.bytes() == 0) return;
  copy_alone(region, const_cast<std::byte*>(in), [&](void* queue, const Shape& shape) {
    region.device()->unpack(queue, shape, {0, region.bytes()}, in);
  });
}

}  // namespace weft::device
