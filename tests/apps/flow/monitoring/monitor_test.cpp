// SPDX-License-Identifier: BSD-3-Clause
#include "flow/monitoring/monitor.hpp"

#include <gtest/gtest.h>

namespace weft::flow {
namespace {

TEST(Monitor, columns_are_named_after_the_openings) {
  const std::vector<std::string> expected = {"step",
                                             "time_s",
                                             "density_min",
                                             "density_max",
                                             "mach_max",
                                             "mass_kg",
                                             "relative_change",
                                             "entropy",
                                             "in_flow_m3_per_s",
                                             "in_pressure_pa",
                                             "out_flow_m3_per_s",
                                             "out_pressure_pa"};
  EXPECT_EQ(monitor_columns({"in", "out"}), expected);
}

}  // namespace
}  // namespace weft::flow
