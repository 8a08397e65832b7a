// SPDX-License-Identifier: BSD-3-Clause
#include "advise/turns.hpp"

#include <gtest/gtest.h>

namespace weft::advise {
namespace {

// A program whose steps take `with` seconds with the progress thread, and `without` seconds without it.
struct Loop {
  double with, without;
  double uneven = 0;  // seconds by which steps are alternately longer and shorter
  double seconds = 0;
  std::uint64_t driven = 0;
  Turns turns{};

  void run(std::uint64_t steps) {
    bool on = turns.synchronised(seconds);
    for (std::uint64_t i = 0; i < steps; ++i) {
      seconds += (on ? with : without) + (i % 2 == 0 ? uneven : -uneven);
      driven += on ? 1 : 0;
      on = turns.synchronised(seconds);
    }
  }
};

TEST(AdviseTurns, a_helper_that_gains_drives_most_of_the_time) {
  Loop program{0.7, 1.0};
  program.run(20000);
  EXPECT_TRUE(program.turns.gains());
  EXPECT_GT(program.driven, 19000U);
  EXPECT_LT(program.seconds, 0.72 * 20000);
}

TEST(AdviseTurns, one_that_costs_is_hardly_tried) {
  for (const double slower : {1.15, 1.5, 3.0}) {
    Loop program{slower, 1.0};
    program.run(2000);
    EXPECT_FALSE(program.turns.gains());
    EXPECT_LT(program.driven, 2000U / 60) << slower;
  }
  Loop program{1.5, 1.0};
  program.run(4000);
  EXPECT_LT(program.seconds, 1.02 * 4000);
}

TEST(AdviseTurns, one_that_gains_less_than_the_noise_stays_off) {
  Loop program{0.99, 1.0};
  program.run(5000);
  EXPECT_FALSE(program.turns.gains());
}

TEST(AdviseTurns, long_and_short_steps_in_turn_are_no_difference) {
  for (const double first : {0.4, -0.4}) {
    Loop program{0.9, 1.0, first};
    program.run(2000);
    EXPECT_TRUE(program.turns.gains()) << first;
    Loop other{1.0, 1.0, first};
    other.run(2000);
    EXPECT_FALSE(other.turns.gains()) << first;
  }
}

TEST(AdviseTurns, what_changes_is_noticed) {
  Loop program{0.7, 1.0};
  program.run(1000);
  ASSERT_TRUE(program.turns.gains());
  program.with = 1.3;
  program.run(4000);
  EXPECT_FALSE(program.turns.gains());
}

}  // namespace
}  // namespace weft::advise
