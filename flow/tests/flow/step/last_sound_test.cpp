// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <vector>

#include "flow/step/last_sound.hpp"
#include "tests/support/flow_run.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::flow {

namespace {

// By step: the step of the last state known to be sound after it; the monitors are `late` steps behind.
std::vector<std::int64_t> sound_after(std::int64_t steps, std::int64_t late, const std::vector<std::int64_t>& asked) {
  std::vector<std::int64_t> result;
  run_in_process(1, [&](Transport& transport) {
    TubeCase tube;
    tube.inlet.value.points = tube.outlet.value.points = {{0, 0}};
    const auto c = tube.make();
    const auto vessel = make_vessel(transport, c, tube.surface());
    const auto lattice = make_lattice(transport, vessel, c);
    LastSound last(lattice, 0, steps);
    std::int64_t step = 0;
    for (const auto end : asked) {
      while (++step <= end) last.between_steps(step, step - late);
      --step;
      result.push_back(last.sound().step);
      if (last.sound().step < 0) continue;
      EXPECT_EQ(last.sound().slot.size(), vessel.domain.sites.size());
      for (std::size_t k = 0; k < last.sound().slot.size(); k += 100) {
        const auto& site = last.sound().site(k);
        const auto m = lattice.moments(k);
        EXPECT_NEAR(site.excess, m.density - 1, 1e-7);
        for (std::size_t d = 0; d < 3; ++d)
          EXPECT_NEAR(site.velocity[d], lattice.is_at_opening(k) ? 0 : m.velocity[d], 1e-7);
      }
    }
  });
  return result;
}

using Steps = std::vector<std::int64_t>;

TEST(LastSound, a_state_counts_once_the_monitors_know_its_step) {
  EXPECT_EQ(sound_after(1000, 3, {24, 27, 28, 52, 53, 1000}), (Steps{-1, -1, 25, 25, 50, 800}));
}

TEST(LastSound, rows_that_come_after_the_next_state_is_due_still_make_one_count) {
  EXPECT_EQ(sound_after(1000, 100, {124, 125, 1000}), (Steps{-1, 25, 900}));
}

TEST(LastSound, a_long_run_keeps_one_every_fiftieth) {
  EXPECT_EQ(sound_after(100000, 1, {2500, 9000, 99999}), (Steps{1600, 7200, 99200}));
}

}  // namespace

}  // namespace weft::flow
