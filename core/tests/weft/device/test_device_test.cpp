// SPDX-License-Identifier: BSD-3-Clause
#include "weft/device/test_device.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstring>
#include <future>
#include <numeric>
#include <set>
#include <thread>

#include "tests/support/core_random.hpp"
#include "tests/support/core_ranks.hpp"
#include "weft/warning.hpp"

namespace weft::device {
namespace {

using namespace weft::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Both ways of being late.
class TestDevices : public ::testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    set_warning_handler([](const std::string&) {});
  }
  void TearDown() override { set_warning_handler({}); }
  static std::shared_ptr<TestDevice> make(std::uint64_t seed) {
    return TestDevice::make({.seed = seed, .threads = GetParam()});
  }
};
INSTANTIATE_TEST_SUITE_P(threads, TestDevices, ::testing::Values(0, 3));

template <class T>
std::span<T> allocate(TestDevice& device, std::size_t n) {
  return {reinterpret_cast<T*>(device.allocate(n * sizeof(T))), n};
}
template <class T>
std::span<T> inside(const TestDevice& device, std::span<T> memory) {
  return {device.inside(memory.data()), memory.size()};
}
std::span<std::byte> numbered_bytes(std::span<std::byte> memory, std::uint64_t seed) {
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(hash({seed, i}));
  return memory;
}

// Host memory that is pinned as long as it exists.
struct Pinned {
  Pinned(TestDevice& on, std::size_t bytes) : device(on), memory(bytes) { device.pin(memory); }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  ~Pinned() { device.unpin(memory); }
  TestDevice& device;
  std::vector<std::byte> memory;
};

TEST_P(TestDevices, run_the_work_of_a_queue_in_order) {
  const auto device = make(1);
  auto* const queue = device->make_queue();
  std::vector<int> done;
  for (int i = 0; i < 20; ++i) device->launch(queue, [&done, i] { done.push_back(i); });
  device->free_queue(queue);  // its work still runs
  auto* const other = device->make_queue();
  device->synchronize();
  std::vector<int> all(20);
  std::iota(all.begin(), all.end(), 0);
  EXPECT_EQ(done, all);
  device->free_queue(other);
  EXPECT_EQ(device->whole_device_waits(), 1u);
}

TEST_P(TestDevices, let_queues_wait_for_events) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto device = make(seed);
    auto *const a = device->make_queue(), *const b = device->make_queue();
    Event event(device), never(device);
    EXPECT_TRUE(never.is_done());
    never.let_wait(b);
    int value = 0, seen = -1;
    device->launch(a, [&] { value = 1; });
    event.record(a);
    event.let_wait(b);  // for this record, not for the next
    device->launch(b, [&] { seen = value; });
    Event second(device);
    second.record(b);
    second.let_wait(a);
    device->launch(a, [&] { value = 2; });
    event.record(a);
    while (!event.is_done()) std::this_thread::yield();
    device->synchronize(b);
    EXPECT_EQ(seen, 1) << seed;
    EXPECT_EQ(value, 2) << seed;
    EXPECT_EQ(device->whole_device_waits(), 0u);
  }
}

TEST(TestDevice, runs_work_of_different_queues_in_any_order_that_the_seed_chooses) {
  const auto order = [](std::uint64_t seed) {
    const auto device = TestDevice::make({.seed = seed});
    std::string text;
    std::vector<void*> queues;
    for (const char name : {'a', 'b', 'c'}) {
      queues.push_back(device->make_queue());
      device->launch(queues.back(), [&text, name] { text += name; });
    }
    for (auto* const queue : queues) device->synchronize(queue);
    return text;
  };
  std::set<std::string> orders;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    orders.insert(order(seed));
    EXPECT_EQ(order(seed), order(seed));
  }
  EXPECT_THAT(orders, ElementsAre("abc", "acb", "bac", "bca", "cab", "cba"));
}

TEST(TestDevice, runs_nothing_before_the_program_asks) {
  std::set<int> needed;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto device = TestDevice::make({.seed = seed});
    auto* const queue = device->make_queue();
    bool ran = false;
    device->launch(queue, [&] { ran = true; });
    Event event(device);
    event.record(queue);
    EXPECT_FALSE(ran);
    int polls = 1;
    while (!event.is_done()) ++polls;
    EXPECT_TRUE(ran);
    needed.insert(polls);
  }
  EXPECT_GT(needed.size(), 2u);
}

// A second queue sees a copy that is half done.
TEST(TestDevice, tears_copies) {
  std::set<std::size_t> seen;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    const auto device = TestDevice::make({.seed = seed});
    const auto memory = allocate<std::byte>(*device, 8);
    Pinned in(*device, 8);
    std::ranges::fill(in.memory, std::byte{1});
    const auto shape = device->prepare(contiguous(memory).layout(), 8);
    auto *const a = device->make_queue(), *const b = device->make_queue();
    device->unpack(a, *shape, {0, 8}, in.memory.data());
    std::size_t ones = 0;
    device->launch(b,
                   [&] { ones = static_cast<std::size_t>(std::ranges::count(inside(*device, memory), std::byte{1})); });
    device->synchronize(b);
    device->synchronize(a);
    seen.insert(ones);
  }
  EXPECT_EQ(seen.size(), 9u);
}

// Regions of each kind, in 4000 bytes. No element is in a region twice.
std::vector<Region> regions_in(std::byte* base, Random& random) {
  const auto size = [&](std::size_t most) { return 1 + random.size_below(most); };
  auto* const numbers = reinterpret_cast<std::int32_t*>(base);
  std::vector<std::size_t> index(1000), far{0, 1100, 2200}, near{0, 4, 8};
  std::iota(index.begin(), index.end(), std::size_t{0});
  for (auto* const places : {&index, &far, &near}) {
    random.shuffle(*places);
    places->resize(size(std::min<std::size_t>(places->size(), 40)));
  }
  const std::vector<Loop> loops{{size(3), 400}, {size(4), 80}, {size(3), 12}};
  return {contiguous(std::span(numbers, size(100))),
          box(numbers, {10, 10, 10}, {1, 2, 3}, {size(9), size(8), size(7)}),
          indexed(numbers, index),
          strided(numbers + 3, loops),
          make_strided(base, 4, loops, true, far),
          make_strided(base, 4, loops, true, near, true),
          make_strided(base, 8, {}, true, far)};
}

TEST_P(TestDevices, copy_as_regions_of_the_host_do) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto device = make(seed);
    auto* const queue = device->make_queue();
    const auto memory = allocate<std::byte>(*device, 4000);
    std::vector<std::byte> host(4000);
    Random random(seed), same(seed);
    const auto regions = regions_in(memory.data(), random), expected = regions_in(host.data(), same);
    for (std::size_t i = 0; i < regions.size(); ++i) {
      numbered_bytes(inside(*device, memory), seed);
      numbered_bytes(host, seed);
      const auto bytes = regions[i].bytes();
      const auto shape = device->prepare(regions[i].layout(), bytes);
      Pinned packed(*device, bytes);
      std::vector<std::byte> wanted(bytes), before(bytes);
      expected[i].pack(wanted.data());
      const auto first = random.size_below(bytes + 1);
      device->pack(queue, *shape, {first, bytes - first}, packed.memory.data() + first);
      device->pack(queue, *shape, {0, first}, packed.memory.data());
      device->synchronize(queue);
      EXPECT_EQ(packed.memory, wanted) << i;

      // A range of the received bytes. No other byte of the memory changes.
      const auto last = first + random.size_below(bytes - first + 1);
      numbered_bytes(packed.memory, seed + 1);
      std::copy(packed.memory.begin() + static_cast<std::ptrdiff_t>(first),
                packed.memory.begin() + static_cast<std::ptrdiff_t>(last),
                wanted.begin() + static_cast<std::ptrdiff_t>(first));
      expected[i].unpack(wanted.data());
      device->unpack(queue, *shape, {first, last - first}, packed.memory.data() + first);
      device->synchronize(queue);
      EXPECT_TRUE(std::ranges::equal(inside(*device, memory), host)) << i;
    }
    device->free(memory.data());
  }
}

template <class T>
void try_to_combine(int threads, const Reduction<T>& reduction) {
  const auto device = TestDevice::make({.threads = threads});
  auto* const queue = device->make_queue();
  const auto memory = allocate<T>(*device, 24);
  std::vector<T> host(24);
  for (std::size_t i = 0; i < 24; ++i) inside(*device, memory)[i] = host[i] = static_cast<T>(i * 7 % 11);
  const auto region = box(memory.data(), {4, 6}, {1, 2}, {2, 3}), expected = box(host.data(), {4, 6}, {1, 2}, {2, 3});
  const auto shape = device->prepare(region.layout(), region.bytes());
  Pinned in(*device, 6 * sizeof(T));
  for (std::size_t i = 0; i < 6; ++i) {
    const auto value = static_cast<T>(i);
    std::memcpy(&in.memory[i * sizeof(T)], &value, sizeof(T));
  }
  ASSERT_TRUE(device->combines(reduction.of_bytes));
  device->combine(queue, *shape, {2 * sizeof(T), 4 * sizeof(T)}, &in.memory[2 * sizeof(T)], reduction.of_bytes);
  device->combine(queue, *shape, {0, 2 * sizeof(T)}, in.memory.data(), reduction.of_bytes);
  device->synchronize(queue);
  expected.combine(in.memory.data(), reduction.of_bytes);
  EXPECT_TRUE(std::ranges::equal(inside(*device, memory), host));
}

TEST_P(TestDevices, combine_as_regions_of_the_host_do) {
  try_to_combine(GetParam(), sum<std::int32_t>());
  try_to_combine(GetParam(), minimum<std::int64_t>());
  try_to_combine(GetParam(), maximum<std::uint64_t>());
  try_to_combine(GetParam(), sum<float>());
  try_to_combine(GetParam(), minimum<double>());
  const auto own = reduction<int>([](int a, int b) { return a * b; });
  EXPECT_FALSE(make(1)->combines(own.of_bytes));
  EXPECT_FALSE(make(1)->combines(sum<short>().of_bytes));
}

TEST(TestDevice, copies_between_its_allocations_and_lists_copies) {
  const auto device = TestDevice::make({.keep_copies = true});
  auto* const queue = device->make_queue();
  const auto from = allocate<std::byte>(*device, 100), to = allocate<std::byte>(*device, 50);
  numbered_bytes(inside(*device, from), 1);
  const auto shape = device->prepare(contiguous(from).layout(), 100);
  device->pack(queue, *shape, {30, 50}, to.data());
  device->unpack(queue, *shape, {0, 5}, to.data());
  device->synchronize(queue);
  EXPECT_TRUE(std::ranges::equal(inside(*device, from).subspan(30, 50), inside(*device, to)));
  EXPECT_TRUE(std::ranges::equal(inside(*device, from).first(5), inside(*device, to).first(5)));
  const auto counts = device->counts();
  EXPECT_EQ(counts.packs + counts.unpacks, 2u);
  EXPECT_EQ(counts.bytes_packed, 50u);
  EXPECT_EQ(counts.bytes_unpacked, 5u);
  const auto copies = device->copies();
  ASSERT_EQ(copies.size(), 2u);
  EXPECT_EQ(copies[0].kind, TestDeviceCopy::Kind::pack);
  EXPECT_EQ(copies[1].host, to.data());
  EXPECT_EQ(copies[1].bytes, 5u);
}

TEST(TestDevice, knows_its_memory) {
  const auto device = TestDevice::make();
  auto* const memory = device->allocate(1000);
  int on_the_host = 0;
  EXPECT_TRUE(device->has(memory));
  EXPECT_TRUE(device->has(memory + 999));
  EXPECT_FALSE(device->has(memory + 1000));
  EXPECT_FALSE(device->has(memory - 1));
  EXPECT_FALSE(device->has(&on_the_host));
  EXPECT_EQ(device->inside(memory + 10), device->inside(memory) + 10);
  EXPECT_THAT(error_of([&] { device->inside(&on_the_host); }), HasSubstr("not memory of the device"));
  device->free(memory);
  EXPECT_FALSE(device->has(memory));
  EXPECT_NE(device->allocate(0), nullptr);
  EXPECT_THAT(error_of([&] { device->allocate(SIZE_MAX); }), HasSubstr("allocate() of the test device failed"));
}

TEST(TestDeviceDeathTest, an_access_of_the_host_ends_the_program_with_a_sentence) {
  const auto device = TestDevice::make();
  auto* const memory = device->allocate(4000);
  volatile std::byte* const host = memory;
  const auto ends = ::testing::KilledBySignal(SIGABRT);
  EXPECT_EXIT(host[40] = std::byte{1}, ends,
              "weft: The host accesses byte 40 of an allocation of 4000 bytes of the test device");
  EXPECT_EXIT(static_cast<void>(host[3999]), ends, "byte 3999 of .*Give the memory to weft with on\\(device\\)");
  EXPECT_EXIT(device->inside(memory)[4096] = std::byte{1}, ends,
              "A kernel accesses byte 4096 of an allocation of 4000");
  volatile int* const null = nullptr;
  EXPECT_DEATH(*null = 1, "");  // what the handler before did
}

// The problem of what the program queues; each later call must throw it.
std::string problem_of(const std::function<void(TestDevice&, void*)>& program, int threads) {
  const auto device = TestDevice::make({.threads = threads});
  auto* const queue = device->make_queue();
  EXPECT_THAT(device->problem(), IsEmpty());
  program(*device, queue);
  const auto text = error_of([&] { device->synchronize(queue); });
  EXPECT_EQ(device->problem().empty() ? "no error" : device->problem(), text);
  EXPECT_EQ(error_of([&] { device->make_event(); }), text);
  return text;
}

TEST_P(TestDevices, find_memory_that_kernels_must_not_access) {
  std::vector<std::byte> out(100);
  std::unique_ptr<Shape> shape;
  const auto pack = [&](bool pin, std::size_t bytes, const std::function<void(TestDevice&, std::byte*)>& then) {
    return problem_of(
        [&](TestDevice& device, void* queue) {
          auto* const memory = device.allocate(100);
          if (pin) device.pin(out);
          shape = device.prepare(make_contiguous(memory, bytes, true).layout(), bytes);
          Event late(device.shared_from_this());  // so that threads begin after what follows
          auto* const other = device.make_queue();
          std::promise<void> may_begin;
          device.launch(other, [begin = may_begin.get_future().share()] { begin.wait(); });
          late.record(other);
          late.let_wait(queue);
          device.pack(queue, *shape, {0, bytes}, out.data());
          then(device, memory);
          may_begin.set_value();
        },
        GetParam());
  };
  const auto nothing = [](TestDevice&, std::byte*) {};
  EXPECT_EQ(pack(true, 100, nothing), "no error");
  EXPECT_THAT(pack(false, 100, nothing), HasSubstr("neither pinned nor of the device"));
  EXPECT_THAT(pack(true, 100, [&](TestDevice& device, std::byte*) { device.unpin(out); }), HasSubstr("neither pinned"));
  EXPECT_THAT(pack(true, 100, [](TestDevice& device, std::byte* memory) { device.free(memory); }),
              HasSubstr("freed before the queued work ran"));
  EXPECT_THAT(pack(true, 100, [&](TestDevice&, std::byte*) { shape.reset(); }), HasSubstr("the shape was destroyed"));
  out.resize(101);
  EXPECT_THAT(pack(true, 101, nothing), HasSubstr("of an allocation of 100 bytes. Make the region smaller."));
}

TEST_P(TestDevices, keep_the_error_of_a_kernel) {
  std::vector<std::string> warnings;
  set_warning_handler([&](const std::string& text) { warnings.push_back(text); });
  const auto text = problem_of(
      [](TestDevice& device, void* queue) {
        device.launch(queue, [] { throw Error("It is too cold."); });
        error_of([&] {  // with threads the first may have thrown already
          device.launch(queue, [] { throw Error("It is too hot."); });
        });
      },
      GetParam());
  EXPECT_EQ(text, "A kernel that launch() of the test device queued threw an exception: It is too cold.");
  EXPECT_THAT(warnings, ElementsAre(text));
}

TEST_P(TestDevices, find_wrong_calls) {
  const auto device = make(1);
  auto *const queue = device->make_queue(), *const event = device->make_event();
  EXPECT_THAT(error_of([&] { device->record(event, nullptr); }),
              HasSubstr("record() of the test device failed: the queue"));
  device->free_event(event);
  EXPECT_THAT(error_of([&] { device->wait(queue, event); }), HasSubstr("wait() of the test device failed: the event"));
  EXPECT_THAT(device->problem(), IsEmpty());
  std::byte never{};
  device->unpin({&never, 1});
  EXPECT_THAT(device->problem(), HasSubstr("unpin() of the test device failed"));
}

TEST_P(TestDevices, may_be_destroyed_with_work_in_their_queues) {
  auto device = make(1);
  auto* const queue = device->make_queue();
  auto* const memory = device->allocate(10);
  device->launch(queue, [memory, &d = *device] { *d.inside(memory) = std::byte{1}; });
  device->synchronize(queue);
  device->launch(queue, [] {});
  if (GetParam() > 0) device->launch(queue, [device] {});  // a kernel may hold the last pointer
}

// What the device is for: a program that forgets to wait is wrong with some seed.
struct WithoutWaits : TestDevice {
  using TestDevice::TestDevice;
  void wait(void*, void*) override {}
};

template <class Kind>
int wrong_results(int threads) {
  int wrong = 0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const auto device = std::make_shared<Kind>(TestDeviceOptions{.seed = seed, .threads = threads});
    auto *const producer = device->make_queue(), *const consumer = device->make_queue();
    const auto memory = allocate<int>(*device, 1);
    inside(*device, memory)[0] = 1;
    Pinned out(*device, sizeof(int));
    const auto shape = device->prepare(contiguous(memory).layout(), sizeof(int));
    device->launch(producer, [=, &d = *device] { inside(d, memory)[0] = 0x02020202; });
    Event event(device), packed(device);
    event.record(producer);
    event.let_wait(consumer);
    device->pack(consumer, *shape, {0, sizeof(int)}, out.memory.data());
    packed.record(consumer);
    while (!packed.is_done()) std::this_thread::yield();
    wrong += out.memory != std::vector(sizeof(int), std::byte{2});
    device->synchronize(producer);
  }
  return wrong;
}

TEST(TestDevice, finds_that_an_event_is_left_out) {
  EXPECT_EQ(wrong_results<TestDevice>(0), 0);
  EXPECT_EQ(wrong_results<TestDevice>(3), 0);
  EXPECT_GT(wrong_results<WithoutWaits>(0), 10);
}

}  // namespace
}  // namespace weft::device
