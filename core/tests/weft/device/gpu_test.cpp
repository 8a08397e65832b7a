// SPDX-License-Identifier: BSD-3-Clause
// CUDA, over a library in the place of the driver (fake_cuda.cpp).
#include "weft/device/gpu.hpp"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <map>
#include <thread>
#include <vector>

#include "core/tests/weft/device/fake_cuda.hpp"
#include "weft/device/pinned_pages.hpp"
#include "weft/error.hpp"

namespace weft::device {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

template <class Call>
std::string error_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

bool has_library(const char* name) {
  void* const library = dlopen(name, RTLD_LAZY);
  return library != nullptr && dlclose(library) == 0;
}

// Before the fake is loaded: a library that is loaded is found by its name.
TEST(Gpu, without_a_driver_one_line_says_what_is_missing) {
  if (has_library("libcuda.so.1") || has_library("libamdhip64.so")) GTEST_SKIP() << "This machine has a driver.";
  const auto cuda_error = error_of([] { cuda(); });
  EXPECT_THAT(cuda_error, AllOf(HasSubstr("There is no CUDA driver on this machine (libcuda.so.1"),
                                HasSubstr("Install NVIDIA's driver"), Not(HasSubstr("\n"))));
  EXPECT_EQ(error_of([] { queue(nullptr); }), cuda_error);
  EXPECT_THAT(error_of([] { hip(1); }), AllOf(HasSubstr("There is no HIP on this machine"), Not(HasSubstr("\n"))));
}

// Loads the fake under a name by which programs find it then.
FakeCuda& load_fake(const std::string& file) {
  void* const library = dlopen((std::string(WEFT_FAKE_FOLDER) + "/" + file).c_str(), RTLD_NOW);
  if (library == nullptr) throw Error(dlerror());
  return *reinterpret_cast<FakeCuda* (*)()>(dlsym(library, "fake_cuda_state"))();
}

// Packs a column of a matrix, and combines it, in a thread that never used the device.
void use_column(const std::shared_ptr<Device>& device, const FakeCuda& state) {
  auto* const memory = device->allocate(4096);
  EXPECT_TRUE(device->has(memory + 4095));
  EXPECT_FALSE(device->has(&state));
  auto* const matrix = reinterpret_cast<double*>(memory);
  for (int i = 0; i < 64; ++i) matrix[i] = i;
  std::vector<double> column(8);
  const auto bytes = std::as_writable_bytes(std::span(column));
  device->pin(bytes);
  std::thread([&] {
    const auto region = box(matrix, {8, 8}, {0, 3}, {8, 1});
    const auto shape = device->prepare(region.layout(), region.bytes());
    void* const stream = device->make_queue();
    void* const event = device->make_event();
    device->pack(stream, *shape, {0, 64}, bytes.data());
    EXPECT_THAT(column, ::testing::ElementsAre(3, 11, 19, 27, 35, 43, 51, 59));
    EXPECT_STREQ(state.last_kernel, "weft_pack_8");
    device->combine(stream, *shape, {8, 56}, bytes.data() + 8, sum<double>().of_bytes);
    EXPECT_EQ(matrix[3], 3);
    EXPECT_EQ(matrix[59], 118);
    device->record(event, stream);
    EXPECT_TRUE(device->is_done(event));
    device->free_event(event);
    device->free_queue(stream);
  }).join();
  EXPECT_GT(state.registered_pages, 0);
  device->unpin(bytes);
  EXPECT_EQ(state.registered_pages, 0);
  device->free(memory);
}

void use_fake_cuda() {
  auto &state = load_fake("libcuda.so.1"), &compiler = load_fake("libnvrtc.so.12");

  // The device is kept, whatever way it is asked for. The kernels that the build has compiled are loaded; a driver that
  // does not know them gets those of NVRTC.
  state.loads_fail = 209;
  const auto device = cuda();
  state.loads_fail = 0;
  EXPECT_EQ(device->name(), "Fake 0");
  EXPECT_EQ(cuda(0), device);
  EXPECT_EQ(compiler.compiled, 1);
  EXPECT_EQ(queue(nullptr).device(), device);
  EXPECT_THAT(error_of([] { cuda(2); }), HasSubstr("There is no CUDA device 2 (there are 2, the first one is 0)."));

  use_column(device, state);

  // Indices are uploaded. A launch waits for that until it is done.
  auto* const memory = device->allocate(4096);
  auto* const matrix = reinterpret_cast<double*>(memory);
  for (int i = 0; i < 64; ++i) matrix[i] = i;
  std::vector<double> packed(8);
  std::array<double, 8> not_pinned{};
  const auto bytes = std::as_writable_bytes(std::span(packed));
  device->pin(bytes);
  const auto region = indexed(matrix, {5, 1, 9});
  const auto shape = device->prepare(region.layout(), region.bytes());
  state.events_pending = 1;
  const int waits = state.waits;
  for (int repeat = 0; repeat < 3; ++repeat) device->pack(nullptr, *shape, {0, 24}, bytes.data());
  EXPECT_EQ(state.waits, waits + 1);
  EXPECT_EQ(packed[2], 9);
  EXPECT_FALSE(device->combines(reduction<int>([](int a, int) { return a; }).of_bytes));
  EXPECT_TRUE(device->combines(maximum<std::int64_t>().of_bytes));

  // Errors name the function, and leave the rest as it was.
  EXPECT_EQ(error_of([&] { device->wait(nullptr, &state); }),
            "cuStreamWaitEvent failed: CUDA_ERROR_INVALID_HANDLE (a text).");
  EXPECT_THAT(error_of([&] {
                device->pack(nullptr, *shape, {0, 24}, reinterpret_cast<std::byte*>(not_pinned.data()));
              }),
              ::testing::StartsWith("cuLaunchKernel failed: "));
  device->unpin(bytes);
  EXPECT_EQ(state.synchronised, 0);
  device->free(memory);
  EXPECT_EQ(state.current_context(), nullptr) << "a call has left its context";
}

void use_fake_hip() {
  auto &state = load_fake("libamdhip64.so.7"), &compiler = load_fake("libhiprtc.so.7");
  const auto second = hip(1), device = hip();
  EXPECT_EQ(second->name(), "Fake 1");
  EXPECT_EQ(device, hip(0));
  EXPECT_EQ(compiler.compiled, 2);
  use_column(device, state);
  EXPECT_EQ(error_of([&] { device->wait(nullptr, &state); }), "hipStreamWaitEvent failed: hipErrorFake.");
  EXPECT_EQ(state.synchronised, 0);
}

// A process has either the machine's driver or the fake, so these are child processes.
template <class Use>
void expect_in_a_child(const Use& use) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        use();
        std::exit(::testing::Test::HasFailure() ? 1 : 0);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(Gpu, calls_have_the_arguments_that_cuda_wants) { expect_in_a_child(use_fake_cuda); }
TEST(Gpu, calls_have_the_arguments_that_hip_wants) { expect_in_a_child(use_fake_hip); }

// A driver that maps pages at addresses of its own.
struct Pages {
  static constexpr std::size_t page = 4096;
  std::map<std::byte*, std::size_t> registered;
  std::ptrdiff_t shift = 1 << 20;
  bool refuses = false;
  PinnedPages pinned{page,
                     {[this](std::byte* first, std::size_t bytes) {
                        if (refuses) throw Error("refused");
                        for (const auto& [other, length] : registered)
                          EXPECT_TRUE(first + bytes <= other || other + length <= first) << "registered twice";
                        registered[first] = bytes;
                        return true;
                      },
                      [this](std::byte* first) { EXPECT_EQ(registered.erase(first), 1U); },
                      [this](std::byte* first) { return first + shift; }}};
};

TEST(PinnedPages, pages_of_neighbouring_buffers_are_registered_once) {
  Pages driver;
  auto* const memory = reinterpret_cast<std::byte*>(std::size_t{1} << 32);
  const std::span a(memory + 100, 3 * Pages::page), b(memory + 100 + a.size(), 50), c(memory, 8 * Pages::page);
  driver.pinned.pin(a);
  EXPECT_EQ(driver.registered.size(), 3U);  // two pages that it has in part, and those between
  driver.pinned.pin(b);
  EXPECT_EQ(driver.registered.size(), 3U);
  EXPECT_EQ(driver.pinned.inside(b.data()), b.data() + driver.shift);
  EXPECT_EQ(driver.pinned.inside(memory + c.size()), memory + c.size());
  driver.pinned.unpin(a);
  EXPECT_EQ(driver.registered.size(), 1U);  // only the page that both have
  driver.pinned.pin(c);
  driver.pinned.pin(b);
  driver.pinned.unpin(b);
  driver.pinned.unpin(b);
  EXPECT_EQ(driver.pinned.inside(c.data()), c.data() + driver.shift);

  driver.refuses = true;
  EXPECT_THROW(driver.pinned.pin({memory + Pages::page, 10 * Pages::page}), Error);
  driver.refuses = false;
  driver.shift *= 2;  // the next pages are no neighbours for kernels
  EXPECT_THROW(driver.pinned.pin({memory + Pages::page, 10 * Pages::page}), Error);
  driver.pinned.unpin(c);
  EXPECT_TRUE(driver.registered.empty());
}

}  // namespace
}  // namespace weft::device
