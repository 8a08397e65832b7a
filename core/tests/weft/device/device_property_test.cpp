// SPDX-License-Identifier: BSD-3-Clause
//
// Ten thousand random programs over test devices, and the faults that they find. WEFT_TEST_SEED=n runs one program, or
// WEFT_TEST_PROGRAMS from it on.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "core/tests/weft/device/device_model.hpp"

namespace weft {
namespace {

using namespace weft::testing;

#if defined(__SANITIZE_THREAD__)
constexpr std::uint64_t seeds = 400;
#elif defined(WEFT_SANITIZED)
constexpr std::uint64_t seeds = 1500;
#else
constexpr std::uint64_t seeds = 10000;
#endif

TEST(DeviceProperty, the_result_depends_on_nothing_but_the_program) {
  const auto number = [](const char* name, std::uint64_t otherwise) {
    const char* const text = std::getenv(name);
    return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
  };
  const auto first = number("WEFT_TEST_SEED", 0);
  const auto last = std::max<std::uint64_t>(first, 1) + number("WEFT_TEST_PROGRAMS", first > 0 ? 1 : seeds);
  for (auto seed = std::max<std::uint64_t>(first, 1); seed < last; ++seed)
    ASSERT_EQ(run_device_program({.seed = seed}), "")
        << "WEFT_TEST_SEED=" << seed << ", " << name_of_device_program(seed);
}

// Every fault is found by some of a few hundred programs.
class SeededFault : public ::testing::TestWithParam<DeviceFault> {};

TEST_P(SeededFault, is_found) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "A fault is a race, which the thread sanitizer finds first.";
#endif
  constexpr std::uint64_t most = 400;
  for (std::uint64_t seed = 1; seed <= most; ++seed)
    if (!run_device_program({.seed = seed, .fault = GetParam()}).empty()) return;
  ADD_FAILURE() << "The fault " << static_cast<int>(GetParam()) << " was not found by " << most << " programs.";
}

INSTANTIATE_TEST_SUITE_P(DeviceProperty, SeededFault,
                         ::testing::Values(DeviceFault::no_event, DeviceFault::wrong_queue, DeviceFault::sent_early,
                                           DeviceFault::reused_early, DeviceFault::unpacked_early,
                                           DeviceFault::whole_device_wait, DeviceFault::host_copy));

}  // namespace
}  // namespace weft
