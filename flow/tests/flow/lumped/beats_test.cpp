// SPDX-License-Identifier: BSD-3-Clause
//
// The difference of two beats, and runs that end when beats agree.
#include "flow/outlets/beats.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>
#include <vector>

#include "flow/case/common_period.hpp"
#include "flow/outlets/outlet_state.hpp"

namespace weft::flow {
namespace {

constexpr double turn = 2 * std::numbers::pi;

/// An oscillating flow, and a pressure that approaches its final oscillation with a time constant.
void feed(Beats& beats, double period, double from, double until, double step, double time_constant) {
  for (auto n = std::llround(from / step); n < std::llround(until / step); ++n) {
    const double t = static_cast<double>(n + 1) * step, wave = std::sin(turn * t / period);
    beats.take(t, {1 + wave, -1 - wave}, {100 + 20 * wave - 50 * std::exp(-t / time_constant), 0});
  }
}

TEST(Beats, differ_by_what_decays_between_them) {
  constexpr double period = 0.8, tau = 0.5;
  Beats beats({"in", "out"}, period, 1e-3);
  feed(beats, period, 0, 4.5, 1e-3, tau);
  EXPECT_EQ(beats.beats(), 5);
  ASSERT_EQ(beats.differences().size(), 4U);
  for (std::size_t k = 0; k < 4; ++k) {
    const auto& d = beats.differences()[k];
    EXPECT_EQ(d.beat, static_cast<std::int64_t>(k) + 1);
    EXPECT_EQ(d.of, "pressure of 'in'");
    // 50 e^(-t / tau) (e^(T / tau) - 1), its root mean square over the beat; the largest pressure is about 120.
    const double start = 50 * std::exp(-static_cast<double>(k + 1) * period / tau) * (std::exp(period / tau) - 1);
    const double rms = start * std::sqrt(tau / 2 / period * (1 - std::exp(-2 * period / tau)));
    const double highest = 120 - 50 * std::exp(-(static_cast<double>(k + 1) * period + period / 4) / tau);
    EXPECT_NEAR(d.difference / (rms / highest), 1, 0.01) << k;
  }
  const auto last = beats.last(0);
  EXPECT_NEAR(last.flow, 1, 1e-3);
  EXPECT_NEAR(last.highest - last.lowest, 40, 1);
  EXPECT_NEAR(beats.last(1).flow, -1, 1e-3);
}

TEST(Beats, of_any_time_step_agree) {
  Beats beats({"in"}, 1, 0.00731);
  for (int n = 1; n < 1000; ++n) {
    const double t = n * 0.00731;
    beats.take(t, {std::cos(turn * t)}, {std::sin(turn * t)});
  }
  ASSERT_EQ(beats.beats(), 7);
  EXPECT_LT(beats.differences().back().difference, 1e-3);  // the error of linear interpolation between steps
}

TEST(Beats, begin_with_the_next_one_and_go_on_from_a_state) {
  Beats late({"in", "out"}, 0.8, 1e-3);
  feed(late, 0.8, 1.0, 2.5, 1e-3, 1);
  EXPECT_EQ(late.beats(), 1);
  Beats whole({"in", "out"}, 0.8, 1e-3), first({"in", "out"}, 0.8, 1e-3), second({"in", "out"}, 0.8, 1e-3);
  feed(whole, 0.8, 0, 4, 1e-3, 1);
  feed(first, 0.8, 0, 2.137, 1e-3, 1);
  const auto text = json_of(first.state()).dump();
  ASSERT_TRUE(second.restore(beats_of(nlohmann::json::parse(text))));
  feed(second, 0.8, 2.137, 4, 1e-3, 1);
  EXPECT_EQ(json_of(second.state()).dump(), json_of(whole.state()).dump());
  EXPECT_FALSE(Beats({"other"}, 0.8, 1e-3).restore(first.state()));
}

TEST(Beats, have_a_period_in_common) {
  Case c;
  c.openings.resize(2);
  EXPECT_FALSE(common_period(c));
  c.openings[0].value.period = 0.8;
  c.openings[1].value.cosine = Cosine{.period = 0.4};
  EXPECT_EQ(common_period(c), 0.8);
  c.openings[1].value.cosine->period = 0.3;
  EXPECT_FALSE(common_period(c));
}

}  // namespace
}  // namespace weft::flow
