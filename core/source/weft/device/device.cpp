// SPDX-License-Identifier: BSD-3-Clause
#include "weft/device/device.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "weft/yield.hpp"

namespace weft::device {
namespace {

// Runs copy(queue, shape, memory) in a queue of its own. The memory is pinned, in pages of its own: pages of the
// program's may be pinned already, or be read-only.
template <class Copy>
void copy_alone(const Region& region, const std::byte* in, std::byte* out, const Copy& copy) {
  const auto& device = region.device();
  const auto shape = device->prepare(region.layout(), region.bytes());
  const std::shared_ptr<void> queue(device->make_queue(), [&](void* made) { device->free_queue(made); });
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const auto size = (region.bytes() + page - 1) / page * page;
  const std::unique_ptr<std::byte, void (*)(void*)> pages(static_cast<std::byte*>(std::aligned_alloc(page, size)),
                                                          std::free);
  if (pages == nullptr) throw std::bad_alloc();
  const std::span memory(pages.get(), region.bytes());
  if (in != nullptr) std::copy_n(in, memory.size(), memory.data());
  device->pin(memory);
  const std::shared_ptr<void> pinned(pages.get(), [&](void*) { device->unpin(memory); });
  Event event(device);
  copy(queue.get(), *shape, memory.data());
  event.record(queue.get());
  while (!event.is_done()) yield();
  if (out != nullptr) std::copy_n(memory.data(), memory.size(), out);
}

}  // namespace

void read(const Region& region, std::byte* out) {
  if (!region.device()) return region.pack(out);
  if (region.bytes() == 0) return;
  copy_alone(region, nullptr, out, [&](void* queue, const Shape& shape, std::byte* memory) {
    region.device()->pack(queue, shape, {0, region.bytes()}, memory);
  });
}

void write(const Region& region, const std::byte* in) {
  if (!region.device()) return region.unpack(in);
  if (region.bytes() == 0) return;
  copy_alone(region, in, nullptr, [&](void* queue, const Shape& shape, const std::byte* memory) {
    region.device()->unpack(queue, shape, {0, region.bytes()}, memory);
  });
}

}  // namespace weft::device
