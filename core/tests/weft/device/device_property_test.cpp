// SPDX-License-Identifier: BSD-3-Clause
//
// Ten thousand random programs over test devices, and the faults that they find. WEFT_TEST_SEED=n runs one program.
#include <gtest/gtest.h>

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
  const char* chosen = std::getenv("WEFT_TEST_SEED");
  const std::uint64_t first = chosen ? std::strtoull(chosen, nullptr, 10) : 1;
  for (std::uint64_t seed = first; seed < first + (chosen ? 1 : seeds); ++seed)
    ASSERT_EQ(run_device_program({.seed = seed}), "")
        << "WEFT_TEST_SEED=" << seed << ", " << name_of_device_program(seed);
}

// Every fault is found by some of a few hundred programs.
class SeededFault : public ::testing::TestWithParam<DeviceFault> {};

TEST_P(SeededFault, is_found) {
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
