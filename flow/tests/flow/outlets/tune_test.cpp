// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numbers>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/outlets/outlet_fit.hpp"
#include "flow/outlets/outlet_state.hpp"
#include "flow/outlets/outlets.hpp"
#include "flow/outlets/tuner.hpp"
#include "tests/support/flow_outlets.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::flow {

// The difference of two beats, and runs that end when beats agree.

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

// Tuned windkessels: fitted before a run, and corrected in each beat.

namespace {

constexpr double mmhg_pascal = 133.322387415;

/// An aorta's flow, ml/s, and its two legs.
Case legs(double first_radius = 4e-3, double second_radius = 4e-3) {
  Case c;
  c.openings.resize(3);
  const double radii[] = {8e-3, first_radius, second_radius};
  for (std::size_t k = 0; k < 3; ++k) {
    c.openings[k].disc = {k == 0 ? geometry::Opening::Kind::inlet : geometry::Opening::Kind::outlet,
                          k == 0   ? "in"
                          : k == 1 ? "left"
                                   : "right",
                          {0, k == 1 ? 0.02 : -0.02, k == 0 ? 0.0 : 0.1},
                          {0, 0, k == 0 ? 1.0 : -1.0},
                          radii[k]};
    c.openings[k].tuned = k > 0;
    if (k > 0) c.openings[k].rule = OpeningCase::Rule::windkessel;
  }
  auto& in = c.openings[0];
  in.kind = lattice::OpeningState::Kind::velocity;
  in.value.points = {{0, 10e-6}, {0.1, 200e-6}, {0.25, 40e-6}, {0.35, 0}, {0.6, 10e-6}};
  for (auto& point : in.value.points) point[1] /= in.area();
  in.value.period = 0.8;
  c.tune = {.wanted = true, .systolic = 120 * mmhg_pascal, .diastolic = 80 * mmhg_pascal, .share = {0, 0.5, 0.5}};
  return c;
}

// By integration in small steps.
TEST(Tune, fits_before_the_run) {
  auto c = legs();
  c.tune.share = {0, 0.7, 0.3};
  ASSERT_FALSE(fit_outlets(c));
  const auto& inlet = c.openings[0];
  double at[] = {c.openings[1].windkessel.initial, c.openings[2].windkessel.initial}, low = 1e9, high = 0;
  const double dt = 1e-5;
  for (int n = 0; n < 160000; ++n) {
    const double q = inlet.value.at(n * dt) * inlet.area();
    for (std::size_t k = 0; k < 2; ++k) {
      const auto& w = c.openings[k + 1].windkessel;
      const double mine = q * c.tune.share[k + 1];
      at[k] += dt * (mine - at[k] / w.resistance) / w.capacitance;
      const double radius = 4e-3, length = std::hypot(0.02, 0.1);  // for Poiseuille's resistance
      const double p =
          at[k] + mine * (w.proximal + 8 * c.fluid.viscosity * length / (std::numbers::pi * std::pow(radius, 4)));
      if (k == 0) low = std::min(low, p), high = std::max(high, p);
    }
  }
  printf("fitted: %.2f / %.2f mmHg\n", high / mmhg_pascal, low / mmhg_pascal);
  EXPECT_NEAR(high / mmhg_pascal, 120, 1);
  EXPECT_NEAR(low / mmhg_pascal, 80, 1);
  const auto &left = c.openings[1].windkessel, &right = c.openings[2].windkessel;
  EXPECT_NEAR(right.resistance / left.resistance, 7.0 / 3, 0.05);
  EXPECT_NEAR(left.resistance * left.capacitance, right.resistance * right.capacitance, 1e-9);
}

TEST(Tune, a_proximal_resistance_leaves_room_for_the_pulse) {
  auto c = legs();
  c.tune.systolic = {}, c.tune.diastolic = {};
  c.tune.mean = 93 * mmhg_pascal, c.tune.pulse = 10 * mmhg_pascal;
  ASSERT_FALSE(fit_outlets(c));
  LumpedOutlets model{};
  const auto& w = c.openings[1].windkessel;
  EXPECT_LT(w.proximal / (w.proximal + w.resistance), 0.1);
  const double vessel = 8 * c.fluid.viscosity * std::hypot(0.02, 0.1) / (std::numbers::pi * std::pow(4e-3, 4));
  model = {.resistance = w.resistance / 2,
           .capacitance = 2 * w.capacitance,
           .proximal = w.proximal / 2,
           .vessel = vessel / 2};
  EXPECT_NEAR(model.over_beat(tuned_flow(c), 0.8).pulse() / mmhg_pascal, 10, 0.05);
}

TEST(Tune, tells_what_can_not_be) {
  auto c = legs();
  c.openings[0].value.period = 0;
  EXPECT_NE(fit_outlets(c)->find("no flow has a period"), std::string::npos);
  c = legs();
  for (auto& point : c.openings[0].value.points) point[1] *= -1;
  EXPECT_NE(fit_outlets(c)->find("Increase the inflow"), std::string::npos);
  c = legs();
  c.tune.behind = 200 * mmhg_pascal;
  EXPECT_NE(fit_outlets(c)->find("far behind"), std::string::npos);
}

TEST(Tune, comes_to_its_targets_in_the_vessel) {
  const auto c = beating_fork(3600);
  run_in_process(2, [&](Transport& transport) {
    const auto vessel = Fork::vessel(c, transport.rank(), 2);
    auto lattice = make_lattice(transport, vessel, c);
    LatticeClient client(lattice, c, vessel.scaling, [](std::int64_t) { return lattice::Diagnostics::nothing; });
    Outlets outlets(transport, client, c, vessel);
    StepManager manager(transport);
    outlets.start(manager);
    manager.add("lattice", client);
    for (int n = 0; n < 3600 * 10 + 5; ++n) manager.run_step();
    const auto report = outlets.report();
    if (transport.rank() == 0) printf("%s", report.text.c_str());
    EXPECT_NE(report.text.find("tuned outlets: targets met"), std::string::npos);
    const auto tuned = nlohmann::json::parse(report.json).at("tuned");
    EXPECT_EQ(tuned.at("met"), true);
    const auto at = tuned.at("pressure_pa");
    const double pulse = at.at("systolic").get<double>() - at.at("diastolic").get<double>();
    EXPECT_NEAR(pulse / (*c.tune.systolic - *c.tune.diastolic), 1, 0.011);
    EXPECT_NEAR(at.at("diastolic").get<double>() / *c.tune.diastolic, 1, 0.015);
    EXPECT_NEAR(tuned.at("windkessels").at("left").at("share").get<double>(), 0.6, 0.006);
    EXPECT_NE(report.text.find("left: windkessel = {resistance = "), std::string::npos);
  });
}

TEST(Tune, is_the_same_bits_on_any_ranks) {
  const auto c = beating_fork(100);
  const auto run_on = [&](int ranks, const test::Deal& deal) {
    RunState result;
    run_in_process(ranks, [&](Transport& transport) {
      const auto vessel = Fork::vessel(c, transport.rank(), ranks, deal);
      auto state = run_clients(transport, c, vessel, {.steps = 450, .monitor_every = 450});
      if (transport.rank() == 0) result = std::move(state);
    });
    return result;
  };
  const auto expected = run_on(1, test::deal_in_turn);
  for (const int ranks : {2, 3})
    EXPECT_TRUE(run_on(ranks, test::deal_scattered).sites == expected.sites) << ranks << " ranks";
}

}  // namespace

}  // namespace weft::flow
