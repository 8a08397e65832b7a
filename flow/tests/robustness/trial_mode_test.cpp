// SPDX-License-Identifier: BSD-3-Clause
#include "robustness/trial_mode.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "flow/reading/case_reader.hpp"
#include "flow/set_up/check.hpp"
#include "geometry/read_surface.hpp"
#include "phantom/made_vessel.hpp"
#include "robustness/vessel_case.hpp"
#include "tests/support/scratch.hpp"
#include "weft/error.hpp"

namespace weft::robustness {
namespace {

TEST(TrialModes, are_cases_that_weft_flow_takes) {
  const test::Scratch folder;
  for (const std::uint64_t seed : {2U, 5U}) {  // vessels with five outlets and with one
    const auto vessel = phantom::make_random_vessel(seed);
    const auto found = analyse(vessel);
    ASSERT_EQ(found.openings.size(), vessel.openings.size());
    geometry::write_stl(folder.path() / "vessel.stl", vessel.surface);
    for (const auto& mode : trial_modes()) {
      const auto c = flow::read_case(folder.write("case.toml", mode_case(vessel, found, mode)));
      std::size_t velocities = 0;
      for (const auto& opening : c.openings)
        velocities += opening.kind == lattice::OpeningState::Kind::velocity ? 1 : 0;
      const auto all = c.openings.size();
      using Ends = TrialMode::Ends;
      const bool all_but_one = mode.ends == Ends::murray || mode.ends == Ends::flows;
      EXPECT_EQ(velocities, mode.ends == Ends::pressures ? 0 : all_but_one ? all - 1 : 1) << mode.name;
      for (const auto& finding : flow::find_problems(c, flow::make_scaling(c)))
        EXPECT_FALSE(finding.refused) << mode.name << ": " << finding.text;
    }
  }
  EXPECT_THROW(trial_mode("steady"), InputError);
}

}  // namespace
}  // namespace weft::robustness
