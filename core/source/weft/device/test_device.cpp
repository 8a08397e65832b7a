// SPDX-License-Identifier: BSD-3-Clause
#include "weft/device/test_device.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

#include "weft/device/twice_mapped.hpp"
#include "weft/device/work_queues.hpp"
#include "weft/error.hpp"

namespace weft::device {
namespace {

using TestMemory = std::shared_ptr<const TwiceMapped>;

struct TestLayout {
  RegionLayout numbers;  // without its spans, which need not exist as long
  std::vector<Loop> loops;
  std::vector<std::size_t> offsets;
  std::size_t bytes;

  // Slow and simple: the address of the run of this number, in the order of packing.
  std::byte* run(std::size_t number) const {
    auto* at = numbers.base;
    const auto index = [&](std::size_t count) { return std::exchange(number, number / count) % count; };
    const auto offset = [&] { return offsets.empty() ? 0 : offsets[index(offsets.size())]; };
    if (numbers.offsets_innermost) at += offset();
    for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) at += index(loop->count) * loop->stride_bytes;
    return numbers.offsets_innermost ? at : at + offset();
  }
};

struct TestShape : Shape {
  std::shared_ptr<const TestLayout> layout;
};

}  // namespace

struct TestDevice::State : WorkQueues {
  explicit State(const TestDeviceOptions& options)
      : WorkQueues(options.seed, options.threads), keeps_copies(options.keep_copies), is_open(options.is_open) {}

  const bool keeps_copies, is_open;
  std::map<const std::byte*, TestMemory> memory;  // with the lock, as all that follows
  std::map<std::pair<const std::byte*, std::size_t>, int> pinned;
  TestDeviceCounts counts;
  std::vector<TestDeviceCopy> copies;

  // The allocation in which, or right behind which, the address is; null: none. With the lock.
  TestMemory find(const void* address) const {
    const auto* const at = static_cast<const std::byte*>(address);
    const auto behind = memory.upper_bound(at);
    if (behind == memory.begin()) return nullptr;
    const auto& mapped = std::prev(behind)->second;
    return at <= mapped->outside() + mapped->bytes() ? mapped : nullptr;
  }
  bool is_pinned(const std::byte* first, std::size_t bytes) const {
    for (auto range = pinned.upper_bound({first, SIZE_MAX}); range != pinned.begin();) {
      --range;
      if (first + bytes <= range->first.first + range->first.second) return true;
    }
    return false;
  }

  // Translates addresses for one kernel.
  class Access {
   public:
    Access(const State& state, const char* call) : state_(state), call_(call) {}
    std::byte* region(std::byte* first, std::size_t bytes) {
      if (auto* const at = inside(first, bytes)) return at;
      throw Error(test_device_failed(call_) + "it accesses " + std::to_string(bytes) +
                  " bytes of a region that are not memory of the device (freed before the queued work ran, or never "
                  "allocated). Free memory when the work is done.");
    }
    std::byte* packed(std::byte* first, std::size_t bytes) {
      if (auto* const at = inside(first, bytes)) return at;
      const std::lock_guard lock(state_.mutex);
      if (state_.is_pinned(first, bytes)) return first;
      throw Error(test_device_failed(call_) + "it accesses " + std::to_string(bytes) +
                  " packed bytes in memory that is neither pinned nor of the device. Call pin() before, and unpin() "
                  "when the work is done.");
    }

   private:
    std::byte* inside(std::byte* first, std::size_t bytes) {
      if (!mapped_ || first < mapped_->outside() || first >= mapped_->outside() + mapped_->bytes()) {
        const std::lock_guard lock(state_.mutex);
        mapped_ = state_.find(first);
      }
      if (!mapped_) return nullptr;
      const auto at = static_cast<std::size_t>(first - mapped_->outside());
      if (bytes <= mapped_->bytes() - at) return mapped_->inside() + at;
      throw Error(test_device_failed(call_) + "it accesses bytes " + std::to_string(at) + " to " +
                  std::to_string(at + bytes - 1) + " of an allocation of " + std::to_string(mapped_->bytes()) +
                  " bytes. Make the region smaller.");
    }
    const State& state_;
    const char* call_;
    TestMemory mapped_;
  };

  // Queues copy(memory of the region, packed bytes, size) for each run of the range, in two pieces.
  template <class Copy>
  void copy(TestDeviceCopy::Kind kind, void* handle, const Shape& shape, Range range, std::byte* packed,
            std::size_t unit, const Copy& copy) {
    const bool packs = kind == TestDeviceCopy::Kind::pack;
    const char* const call = packs ? "pack" : kind == TestDeviceCopy::Kind::unpack ? "unpack" : "combine";
    const auto lock = enter();
    auto& to = queue(call, handle);
    const auto* const known = dynamic_cast<const TestShape*>(&shape);
    if (known == nullptr)
      throw Error(test_device_failed(call) +
                  "the shape is of another device. Give a shape of this device's prepare().");
    const auto size = known->layout->bytes;
    if (range.first > size || range.bytes > size - range.first || range.first % unit > 0 || range.bytes % unit > 0)
      throw Error(test_device_failed(call) + "bytes " + std::to_string(range.first) + " + " +
                  std::to_string(range.bytes) + " of " + std::to_string(size) +
                  " packed bytes. Give a range of whole elements of the region.");
    ++(packs ? counts.packs : counts.unpacks);
    (packs ? counts.bytes_packed : counts.bytes_unpacked) += range.bytes;
    if (keeps_copies) copies.push_back({kind, packed, range.bytes});
    const auto piece = [&](std::size_t first, std::size_t bytes) {
      if (bytes == 0) return;
      const auto run = [this, call, copy, packed, first, bytes, begins = range.first,
                        kept = std::weak_ptr(known->layout)] {
        const auto layout = kept.lock();
        if (!layout)
          throw Error(test_device_failed(call) +
                      "the shape was destroyed before the queued work ran. Destroy it when the work is done.");
        Access access(*this, call);
        auto* const other = Access(*this, call).packed(packed + first, bytes) - first;
        for (std::size_t at = first; at < first + bytes;) {
          const auto place = begins + at, skipped = place % layout->numbers.run_bytes;
          const auto n = std::min(layout->numbers.run_bytes - skipped, first + bytes - at);
          copy(access.region(layout->run(place / layout->numbers.run_bytes) + skipped, n), other + at, n);
          at += n;
        }
      };
      push(to, {run, nullptr, nullptr});
    };
    const auto torn = random() % (range.bytes / unit + 1) * unit;
    const bool in_order = random() % 2 == 0;  // the order within a kernel is not defined either
    if (in_order) piece(0, torn);
    piece(torn, range.bytes - torn);
    if (!in_order) piece(0, torn);
  }
};

TestDevice::TestDevice(const TestDeviceOptions& options) : state_(std::make_shared<State>(options)) {
  state_->start(state_);
}

TestDevice::~TestDevice() { state_->end(); }

std::shared_ptr<TestDevice> TestDevice::make(const TestDeviceOptions& options) {
  return std::make_shared<TestDevice>(options);
}

std::string TestDevice::name() const { return "test device"; }

bool TestDevice::has(const void* address) const {
  const std::lock_guard lock(state_->mutex);
  const auto mapped = state_->find(address);
  return mapped && address != mapped->outside() + mapped->bytes();
}

void* TestDevice::make_queue() {
  const auto lock = state_->enter();
  return state_->make_queue();
}

void TestDevice::free_queue(void* queue) noexcept try {
  const std::lock_guard lock(state_->mutex);
  state_->free_queue(queue);
} catch (const Error& e) {
  state_->keep(e.what());
}

void* TestDevice::make_event() {
  const auto lock = state_->enter();
  return state_->make_event();
}

void TestDevice::free_event(void* event) noexcept try {
  const std::lock_guard lock(state_->mutex);
  state_->free_event(event);
} catch (const Error& e) {
  state_->keep(e.what());
}

void TestDevice::record(void* event, void* queue) {
  const auto lock = state_->enter();
  state_->event("record", event) = state_->mark(state_->queue("record", queue));
}

bool TestDevice::is_done(void* event) {
  auto lock = state_->enter();
  const auto mark = state_->event("is_done", event);
  state_->run_some(lock);
  return !mark || mark->is_done;
}

void TestDevice::wait(void* queue, void* event) {
  const auto lock = state_->enter();
  const auto& mark = state_->event("wait", event);
  auto& waits = state_->queue("wait", queue);
  if (mark) state_->push(waits, {nullptr, mark, nullptr});
}

std::byte* TestDevice::allocate(std::size_t bytes) {
  const auto mapped = std::make_shared<TwiceMapped>(bytes, state_->is_open);
  const auto lock = state_->enter();
  state_->memory[mapped->outside()] = mapped;
  return mapped->outside();
}

void TestDevice::free(std::byte* memory) noexcept {
  if (memory == nullptr) return;
  bool found = false;
  {
    const std::lock_guard lock(state_->mutex);
    found = state_->memory.erase(memory) > 0;
  }
  if (!found)
    state_->keep(test_device_failed("free") +
                 "the address is not that of an allocation. Give what allocate() returned.");
}

void TestDevice::pin(std::span<std::byte> host) {
  const auto lock = state_->enter();
  ++state_->pinned[{host.data(), host.size()}];
}

void TestDevice::unpin(std::span<std::byte> host) noexcept {
  bool found = false;
  {
    const std::lock_guard lock(state_->mutex);
    const auto range = state_->pinned.find({host.data(), host.size()});
    found = range != state_->pinned.end();
    if (found && --range->second == 0) state_->pinned.erase(range);
  }
  if (!found)
    state_->keep(test_device_failed("unpin") + "the memory is not pinned. Give the bytes that pin() was given.");
}

std::unique_ptr<Shape> TestDevice::prepare(const RegionLayout& layout, std::size_t bytes, const Shape*) {
  const auto lock = state_->enter();
  auto shape = std::make_unique<TestShape>();
  shape->layout =
      std::make_shared<TestLayout>(TestLayout{{layout.base, layout.run_bytes, {}, {}, layout.offsets_innermost},
                                              {layout.loops.begin(), layout.loops.end()},
                                              {layout.offsets.begin(), layout.offsets.end()},
                                              bytes});
  return shape;
}

void TestDevice::pack(void* queue, const Shape& shape, Range range, std::byte* out) {
  state_->copy(TestDeviceCopy::Kind::pack, queue, shape, range, out, 1,
               [](const std::byte* region, std::byte* packed, std::size_t n) { std::memcpy(packed, region, n); });
}

void TestDevice::unpack(void* queue, const Shape& shape, Range range, const std::byte* in) {
  state_->copy(TestDeviceCopy::Kind::unpack, queue, shape, range, const_cast<std::byte*>(in), 1,
               [](std::byte* region, const std::byte* packed, std::size_t n) { std::memcpy(region, packed, n); });
}

bool TestDevice::combines(const ReductionOfBytes& reduction) const {
  return reduction.operation != ReductionOfBytes::Operation::user && reduction.type != ReductionOfBytes::Type::bytes;
}

void TestDevice::combine(void* queue, const Shape& shape, Range range, const std::byte* in,
                         const ReductionOfBytes& reduction) {
  if (!combines(reduction))
    throw Error(test_device_failed("combine") +
                "it has only sum, minimum and maximum of numbers. Use one of these, or combine on "
                "the host.");
  state_->copy(TestDeviceCopy::Kind::combine, queue, shape, range, const_cast<std::byte*>(in), reduction.element_bytes,
               [reduction](std::byte* region, const std::byte* packed, std::size_t n) {
                 std::vector<std::byte> result(packed, packed + n);  // its right operand, and then the result
                 reduction.combine(region, result.data(), n / reduction.element_bytes);
                 std::memcpy(region, result.data(), n);
               });
}

void TestDevice::launch(void* queue, std::function<void()> kernel) {
  const auto lock = state_->enter();
  state_->push(state_->queue("launch", queue), {[kernel = std::move(kernel)] {
                                                  try {
                                                    kernel();
                                                  } catch (...) {
                                                    throw Error(
                                                        "A kernel that launch() of the test device queued "
                                                        "threw an exception: " +
                                                        exception_text(std::current_exception()));
                                                  }
                                                },
                                                nullptr, nullptr});
}

void TestDevice::synchronize(void* queue) {
  auto lock = state_->enter();
  const auto mark = state_->mark(state_->queue("synchronize", queue));
  state_->finish(lock, *mark);
}

void TestDevice::synchronize() {
  auto lock = state_->enter();
  ++state_->counts.whole_device_waits;
  for (const auto& mark : state_->mark_all()) state_->finish(lock, *mark);
}

std::byte* TestDevice::alias(const void* address) const {
  const std::lock_guard lock(state_->mutex);
  const auto mapped = state_->find(address);
  if (!mapped)
    throw Error("inside() of the test device: the address is not memory of the device. Give one of an allocation.");
  return mapped->inside() + (static_cast<const std::byte*>(address) - mapped->outside());
}

std::string TestDevice::problem() const {
  const std::lock_guard lock(state_->mutex);
  return state_->problem;
}

TestDeviceCounts TestDevice::counts() const {
  const std::lock_guard lock(state_->mutex);
  return state_->counts;
}

std::vector<TestDeviceCopy> TestDevice::copies() const {
  const std::lock_guard lock(state_->mutex);
  return state_->copies;
}

}  // namespace weft::device
