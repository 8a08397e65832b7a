// SPDX-License-Identifier: BSD-3-Clause
// device_check bits [LAYOUTS] | bandwidth: the kernels on a real device. tools/device-check runs it.
#include <dlfcn.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/tests/weft/device/random_layout.hpp"
#include "weft/device/gpu.hpp"
#include "weft/error.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using device::Device;
using Seconds = std::chrono::duration<double>;

void wait_for(const std::shared_ptr<Device>& device, void* queue) {
  device::Event event(device);
  event.record(queue);
  while (!event.is_done()) {
  }
}

// Host memory that kernels may access.
class PinnedBytes {
 public:
  PinnedBytes(std::shared_ptr<Device> device, std::size_t bytes) : device_(std::move(device)), bytes_(bytes) {
    device_->pin(bytes_);
  }
  ~PinnedBytes() { device_->unpin(bytes_); }
  PinnedBytes(const PinnedBytes&) = delete;
  std::byte* data() { return bytes_.data(); }
  std::span<std::byte> span() { return bytes_; }

 private:
  std::shared_ptr<Device> device_;
  Bytes bytes_;
};

// Packs, unpacks and combines random layouts on the device and on the host. Returns how many differ.
int compare_bits(const std::shared_ptr<Device>& device, int layouts) {
  constexpr std::size_t most_bytes = 1 << 20;
  Random random(1);
  auto* const memory = device->allocate(most_bytes + 128);
  void* const queue = device->make_queue();
  PinnedBytes all(device, most_bytes + 128), packed(device, most_bytes + 128);
  int differ = 0;
  for (int repeat = 0; repeat < layouts; ++repeat) {
    const auto layout = random_layout(random, random_element(random), repeat % 10 == 0 ? 10 : 5);
    const std::size_t shift = random.chance(2) ? 0 : random.size_below(17);
    const std::size_t before = random.chance(2) ? 0 : random.size_below(33);
    if (layout.extent + shift > most_bytes) continue;
    auto host = random_bytes(most_bytes + 128, random);
    const auto on_host = layout.at(host.data() + shift);
    const auto on_device = layout.at(memory + shift).on(device);
    const auto bytes = on_host.bytes();
    if (bytes == 0) continue;
    const auto contents = contiguous(std::span(memory, host.size()));
    const auto whole = device->prepare(contents.layout(), contents.bytes());
    const auto shape = device->prepare(on_device.layout(), bytes);
    std::ranges::copy(host, all.data());
    device->unpack(queue, *whole, {0, host.size()}, all.data());

    for (const auto range : random_ranges(random, bytes, random.chance(2) ? 16 : 1))
      device->pack(queue, *shape, range, packed.data() + before + range.first);
    wait_for(device, queue);
    Bytes expected(bytes);
    on_host.pack(expected.data());
    const bool packs = std::memcmp(expected.data(), packed.data() + before, bytes) == 0;

    const auto received = random_bytes(bytes, random);
    std::ranges::copy(received, packed.data() + before);
    on_host.unpack(received.data());
    for (const auto range : random_ranges(random, bytes, random.chance(2) ? 16 : 1))
      device->unpack(queue, *shape, range, packed.data() + before + range.first);
    const auto reduction = random.chance(2) ? minimum<std::int64_t>().of_bytes : sum<std::uint64_t>().of_bytes;
    if (on_host.has_elements_of(8)) {
      on_host.combine(received.data(), reduction);
      device->combine(queue, *shape, {0, bytes}, packed.data() + before, reduction);
    }
    device->pack(queue, *whole, {0, host.size()}, all.data());
    wait_for(device, queue);
    const bool unpacks = std::memcmp(host.data(), all.data(), host.size()) == 0;
    if (packs && unpacks) continue;
    ++differ;
    std::printf("differ: layout %d (%zu bytes, elements of %zu): %s\n", repeat, bytes, layout.element,
                packs ? "unpack or combine" : "pack");
  }
  device->free_queue(queue);
  device->free(memory);
  std::printf("bits: %d layouts, %d differ from the host's\n", layouts, differ);
  return differ;
}

// The shortest time of one of many calls of queue_one().
template <class QueueOne>
double seconds_of(const std::shared_ptr<Device>& device, void* queue, const QueueOne& queue_one) {
  double best = 1e9;
  for (int repeat = 0; repeat < 5; ++repeat) {
    constexpr int calls = 100;
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < calls; ++i) queue_one();
    wait_for(device, queue);
    best = std::min(best, Seconds(std::chrono::steady_clock::now() - start).count() / calls);
  }
  return best;
}

// Packs the inside of a cube, and two of its faces, into memory of the device and of the host; beside the driver's own
// copies of as many contiguous bytes. Returns how many cubes miss the goal of 0.8 in memory of the device.
int measure_bandwidth(const std::shared_ptr<Device>& device) {
  using Copy = int (*)(unsigned long long, unsigned long long, std::size_t, void*);
  const auto copy = reinterpret_cast<Copy>(dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuMemcpyAsync"));
  if (copy == nullptr) throw Error("There is no cuMemcpyAsync in libcuda.so.1.");
  void* const queue = device->make_queue();
  int missed = 0;
  std::puts("part           to        MB   pack GB/s   copy GB/s   share");
  for (const std::size_t n : {64, 128, 256, 384}) {
    const std::size_t ghosts = 2, side = n + 2 * ghosts, bytes = n * n * n * sizeof(double);
    auto* const array = device->allocate(side * side * side * sizeof(double));
    auto* const out = device->allocate(bytes);
    PinnedBytes host(device, bytes);
    const auto measure = [&](const char* name, const std::vector<std::size_t>& count, bool has_goal) {
      const auto region = box(reinterpret_cast<double*>(array), {side, side, side}, {ghosts, ghosts, ghosts}, count);
      const auto shape = device->prepare(region.layout(), region.bytes());
      for (auto* const to : {out, host.data()}) {
        const auto pack = seconds_of(device, queue, [&] { device->pack(queue, *shape, {0, region.bytes()}, to); });
        const auto plain = seconds_of(device, queue, [&] {
          copy(reinterpret_cast<unsigned long long>(to), reinterpret_cast<unsigned long long>(array), region.bytes(),
               queue);
        });
        const double size = static_cast<double>(region.bytes());
        std::printf("%-5s %3zu^3 %8s %9.2f %11.1f %11.1f %7.2f\n", name, n, to == out ? "device" : "host", size * 1e-6,
                    size * 1e-9 / pack, size * 1e-9 / plain, plain / pack);
        if (has_goal && to == out && plain < 0.8 * pack) ++missed;
      }
    };
    measure("cube", {n, n, n}, true);
    measure("x", {ghosts, n, n}, false);
    measure("z", {n, n, ghosts}, false);
    device->free(out);
    device->free(array);
  }
  device->free_queue(queue);
  return missed;
}

}  // namespace
}  // namespace weft

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "bits";
  std::shared_ptr<weft::device::Device> device;
  try {
    device = weft::device::cuda();
  } catch (const weft::Error& error) {
    std::printf("device_check: skipped: %s\n", error.what());
    return 77;
  }
  try {
    std::printf("device_check: %s on %s\n", what.c_str(), device->name().c_str());
    const int wrong = what == "bandwidth" ? weft::measure_bandwidth(device)
                                          : weft::compare_bits(device, count > 2 ? std::atoi(words[2]) : 1000);
    return wrong == 0 ? 0 : 1;
  } catch (const weft::Error& error) {
    std::fprintf(stderr, "device_check: %s\n", error.what());
    return 1;
  }
}
