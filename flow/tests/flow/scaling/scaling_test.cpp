// SPDX-License-Identifier: BSD-3-Clause
#include "flow/scaling/scaling.hpp"
#include "flow/scaling/lattice_choice.hpp"
#include "flow/scaling/vessel_compartment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "flow/set_up/check.hpp"
#include "weft/error.hpp"

namespace weft::flow {
namespace {

using Kind = lattice::OpeningState::Kind;
using ::testing::HasSubstr;

OpeningCase opening(const std::string& name, Kind kind, double value, double z = 0, double radius = 2e-3) {
  OpeningCase result;
  result.disc = {name == "in" ? geometry::Opening::Kind::inlet : geometry::Opening::Kind::outlet,
                 name,
                 {0, 0, z},
                 {0, 0, 1},
                 radius};
  result.kind = kind;
  result.value.points = {{0, value}};
  return result;
}

Case velocity_case(double speed) {
  Case c;
  c.file = "case.toml";
  c.title = "Pipe";
  c.surface.voxel = 1e-4;
  c.openings = {opening("in", Kind::velocity, speed), opening("out", Kind::pressure, 0, 0.02)};
  c.run.duration = 0.1;
  return c;
}

Case pressure_case(double pascal) {
  auto c = velocity_case(0);
  c.openings[0] = opening("in", Kind::pressure, pascal);
  return c;
}

TEST(Scaling, outlets_may_be_narrower_than_what_leads_to_them) {
  auto c = velocity_case(0.3);
  c.openings[1].disc.radius = 1e-3;
  EXPECT_NEAR(estimate_flow(c).mean_speed, 1.2, 1e-12);
  EXPECT_NEAR(estimate_flow(c).diameter, 2e-3, 1e-12);
  c.openings.push_back(opening("more", Kind::pressure, 0, 0.02));
  EXPECT_NEAR(estimate_flow(c).mean_speed, 0.3, 1e-12);
}

TEST(Scaling, goes_to_the_lattice_and_back) {
  const Scaling s{.dx = 1e-4, .dt = 2e-5, .density = 1060, .viscosity = 3.3e-6, .reference_pressure = 500};
  EXPECT_DOUBLE_EQ(s.lattice_viscosity(), 3.3e-6 * 2e-5 / 1e-8);
  EXPECT_DOUBLE_EQ(s.tau(), 0.5 + 3 * s.lattice_viscosity());
  EXPECT_DOUBLE_EQ(s.lattice_speed(0.5), 0.1);
  EXPECT_DOUBLE_EQ(s.speed(0.1), 0.5);
  EXPECT_DOUBLE_EQ(s.lattice_density(500), 1);
  EXPECT_NEAR(s.lattice_density(600), 1 + 100 * 3 / (1060 * 25.0), 1e-12);
  EXPECT_NEAR(s.pressure(s.lattice_density(123)), 123, 1e-9);
  EXPECT_DOUBLE_EQ(s.mass(10), 10 * 1060e-12);
  EXPECT_DOUBLE_EQ(s.flow(3), 3e-12 / 2e-5);
  EXPECT_DOUBLE_EQ(s.time(50), 1e-3);
  EXPECT_DOUBLE_EQ(mach(1 / std::sqrt(3.0)), 1);
}

TEST(Scaling, the_time_step_follows_the_fastest_opening) {
  auto c = velocity_case(0.3);
  c.surface.voxel = 5e-5;
  const auto s = make_scaling(c);
  EXPECT_NEAR(s.lattice_speed(0.6), 0.05, 1e-12);
  EXPECT_GE(s.tau(), 0.51);
  EXPECT_LE(s.tau(), 1.0);
}

TEST(Scaling, the_time_step_follows_the_windkessels_pulse) {
  auto c = velocity_case(0.3);
  const double by_speed = make_scaling(c).dt;
  c.openings[0].value = {.points = {{0, 0}, {0.2, 0.3}, {0.4, 0}, {0.8, 0}}, .period = 0.8};
  c.openings[1].rule = OpeningCase::Rule::windkessel;
  c.openings[1].windkessel = {.resistance = 1e10, .capacitance = 1e-10, .proximal = 1e9, .initial = 1e4};
  const auto pressure_range = [&](const Scaling& s) { return expected_pressure_range(c, s, 0).beat_deviation(s); };
  EXPECT_LT(make_scaling(c).dt, by_speed);
  EXPECT_NEAR(pressure_range(make_scaling(c)), 0.03, 1e-4);
  c.openings[1].windkessel.initial = 1e6;  // far from the final pressure: the time step is not shortened further
  EXPECT_NEAR(make_scaling(c).dt, by_speed / 4, 1e-12 * by_speed);
}

TEST(Scaling, the_time_step_keeps_tau_in_its_range) {
  auto fast = velocity_case(100);
  EXPECT_NEAR(make_scaling(fast).tau(), 0.5001, 1e-12);
  fast.lattice.collision = lattice::Collision::trt;
  EXPECT_NEAR(make_scaling(fast).tau(), 0.51, 1e-12);
  EXPECT_NEAR(make_scaling(velocity_case(1e-5)).tau(), 1.0, 1e-12);
  auto given = velocity_case(100);
  given.lattice.time_step = 1e-7;
  EXPECT_DOUBLE_EQ(make_scaling(given).dt, 1e-7);
}

TEST(Scaling, with_pressures_only_tau_is_at_most_eight_tenths) {
  EXPECT_NEAR(make_scaling(pressure_case(0)).tau(), 0.8, 1e-12);
  EXPECT_NEAR(make_scaling(pressure_case(1e-3)).tau(), 0.8, 1e-12);
  // A faster flow needs a shorter time step, so that its speed and density stay in the method's range.
  const auto c = pressure_case(100);
  const auto s = make_scaling(c);
  EXPECT_LT(s.tau(), 0.8);
  EXPECT_LE(s.lattice_speed(estimate_flow(c).peak_speed), 0.05 + 1e-12);
  EXPECT_LE(s.lattice_density(100), 1.02 + 1e-12);
  EXPECT_DOUBLE_EQ(s.reference_pressure, 50);
}

TEST(Scaling, pressures_give_a_poiseuille_estimate) {
  const auto c = pressure_case(0.1);
  const auto flow = estimate_flow(c);
  EXPECT_TRUE(flow.from_pressures);
  EXPECT_NEAR(flow.mean_speed, 0.1 * 4e-6 / (8 * 3.5e-3 * 0.02), 1e-9);
  EXPECT_NEAR(flow.peak_speed, 2 * flow.mean_speed, 1e-12);
  EXPECT_NEAR(reynolds(flow, make_scaling(c)), flow.mean_speed * 4e-3 / (3.5e-3 / 1060), 1e-9);
  const auto fast = pressure_case(1e5);  // turbulent
  const double speed = estimate_flow(fast).mean_speed, re = reynolds(estimate_flow(fast), make_scaling(fast));
  EXPECT_GT(re, 3000);
  EXPECT_NEAR(0.316 * std::pow(re, -0.25) * 0.02 / 4e-3 * 1060 / 2 * speed * speed, 1e5, 1);
}

// Windkessels limit the flow that a pressure drives, also where they begin with that pressure.
TEST(Scaling, a_pressure_before_windkessels_drives_what_they_let_through) {
  auto c = pressure_case(13e3);
  c.openings[1].rule = OpeningCase::Rule::windkessel;
  c.openings[1].value.points = {{0, 1e3}};
  c.openings[1].windkessel = {.resistance = 1e9, .proximal = 2e8, .initial = 13e3};
  EXPECT_TRUE(estimate_flow(c).from_pressures);
  EXPECT_NEAR(estimate_flow(c).mean_speed, 12e3 / 1.2e9 / c.openings[1].area(), 1e-9);
  c.openings[1].windkessel.capacitance = 1e-10;
  c.openings[0].value = {.points = {}, .cosine = Cosine{.mean = 12e3, .amplitude = 1e3, .period = 0.5}};
  EXPECT_NEAR(estimate_flow(c).mean_speed, (12e3 / 1.2e9 + 3.14159265 * 1e-10 * 2e3 / 0.5) / c.openings[1].area(),
              1e-6);
}

// Inertia limits what an oscillating pressure drives.
TEST(Scaling, a_pressure_that_oscillates_drives_less_than_a_steady_one) {
  auto c = pressure_case(0);
  c.openings[0].value = {.points = {}, .cosine = Cosine{.mean = 0, .amplitude = 200, .period = 0.2}};
  EXPECT_NEAR(estimate_flow(c).mean_speed, 200 * 0.2 / (2 * 3.14159265 * c.fluid.density * 0.02), 1e-3);
  c.openings[0].value.cosine->period = 1e3;
  EXPECT_NEAR(estimate_flow(c).mean_speed, estimate_flow(pressure_case(200)).mean_speed, 1e-12);
}

TEST(Scaling, steps_follow_from_the_duration) {
  auto c = velocity_case(0.3);
  c.lattice.time_step = 2e-5;
  const auto s = make_scaling(c);
  EXPECT_EQ(steps_of(c, s), 5000);
  EXPECT_EQ(steps_between(c.output, s), 0);
  c.output.every_seconds = 0.025;
  EXPECT_EQ(steps_between(c.output, s), 1250);
  c.output = {};
  c.output.every_steps = 7;
  EXPECT_EQ(steps_between(c.output, s), 7);
  c.run = {.duration = {}, .steps = 12};
  EXPECT_EQ(steps_of(c, s), 12);
}

TEST(Scaling, numbers_that_are_too_far_apart) {
  auto c = velocity_case(0.1);
  c.run.duration = 1e300;
  c.output.every_seconds = 1e308;
  EXPECT_EQ(steps_of(c, make_scaling(c)), 1'000'000'000'000'000);
  EXPECT_EQ(steps_between(c.output, make_scaling(c)), 1'000'000'000'000'000);
  c.surface.voxel = 1e-200;
  try {
    make_scaling(c);
    ADD_FAILURE() << "no error";
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("case.toml: The voxel, the viscosity and the openings' values are too far apart"));
    EXPECT_TRUE(e.everywhere());
  }
}

TEST(Scaling, openings_are_told_in_lattice_units) {
  auto c = velocity_case(0.3);
  c.openings[0].value.points = {{0, 0.1}, {1, 0.3}};
  c.openings[1].value.points = {{0, 250}};
  c.lattice.time_step = 2e-5;
  const auto s = make_scaling(c);
  const auto in = opening_state(c.openings[0], s, 0.5);
  EXPECT_EQ(in.kind, Kind::velocity);
  EXPECT_NEAR(in.speed, 0.04, 1e-12);
  const auto out = opening_state(c.openings[1], s, 0.5);
  EXPECT_EQ(out.kind, Kind::pressure);
  EXPECT_DOUBLE_EQ(out.density, 1);  // 250 Pa is the reference pressure
  EXPECT_DOUBLE_EQ(lattice_parameters(c, s).tau, s.tau());
}

TEST(Check, a_good_case_has_no_problems) {
  EXPECT_TRUE(find_problems(velocity_case(0.3), make_scaling(velocity_case(0.3))).empty());
  EXPECT_TRUE(find_problems(pressure_case(20), make_scaling(pressure_case(20))).empty());
}

/// The text between two texts.
std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const auto start = text.find(from) + from.size();
  return text.substr(start, text.find(to, start) - start);
}

TEST(Check, following_the_advice_mends_the_case) {
  for (const double dt : {1e-7, 3e-5, 6e-5, 1e-4, 1e-3})
    for (const double speed : {0.01, 0.3, 3.0}) {
      auto c = velocity_case(speed);
      c.lattice.time_step = dt;
      for (int change = 0; change < 3; ++change) {
        const auto findings = find_problems(c, make_scaling(c));
        if (findings.empty()) break;
        const auto& text = findings.front().text;
        if (text.find("lattice.velocities to \"D3Q27\"") != std::string::npos) {
          c.lattice.velocities = lattice::VelocitySet::d3q27;
        } else if (text.find("lattice.time_step to") != std::string::npos) {
          c.lattice.time_step = std::stod(between(text, "time_step to ",
                                                  "."
                                                  " "));
        } else {
          const auto voxel = between(text, "voxel to \"", "\"");
          c.surface.voxel = std::stod(voxel) * (voxel.find("um") != std::string::npos ? 1e-6 : 1e-9);
          c.lattice.time_step.reset();
        }
      }
      const auto left = find_problems(c, make_scaling(c));
      EXPECT_TRUE(left.empty()) << "dt " << dt << " speed " << speed << ": " << left.front().text;
    }
}

TEST(Check, says_what_is_wrong_and_what_would_mend_it) {
  auto c = velocity_case(0.3);
  c.lattice.collision = lattice::Collision::trt;
  const auto texts = [&] {
    std::string all;
    for (const auto& f : find_problems(c, make_scaling(c)))
      all += (f.refused ? "refused: " : "warning: ") + f.text + "\n";
    return all;
  };
  c.lattice.time_step = 2e-5;
  EXPECT_EQ(texts(),
            "warning: The peak Mach number is 0.21 (above 0.15 the fluid is noticeably compressible). Set "
            "lattice.time_step to 1.01e-05.\n");
  c.lattice.time_step = 4e-5;
  EXPECT_EQ(texts(),
            "refused: The peak Mach number is 0.42 (above 0.3 the method is not valid). Set lattice.time_step to "
            "1.01e-05.\n");
  c.lattice.time_step = 5e-7;
  EXPECT_EQ(texts(),
            "warning: The relaxation time tau is 0.5005 (below 0.51 disturbances hardly decay and the run may become "
            "unstable). Set lattice.time_step to 1.01e-05.\n");
  c.lattice.collision = lattice::Collision::cumulant;  // it damps disturbances itself
  EXPECT_EQ(texts(), "");

  c = velocity_case(-0.1);
  EXPECT_THAT(texts(), HasSubstr("refused: Inlet 'in' moves 1.26 ml/s out of the vessel on average"));
  c.openings.pop_back();
  EXPECT_THAT(texts(), HasSubstr("No opening prescribes a pressure"));
  c = velocity_case(0.1);
  c.openings[1].disc.radius = 2e-4;
  EXPECT_THAT(texts(), HasSubstr("Opening 'out' is only 4.0 voxels wide (below 8 the flow through it is poorly "
                                 "resolved). Set surface.voxel to \"50 um\"."));
  c = pressure_case(200);
  c.lattice.time_step = 1e-4;
  EXPECT_THAT(texts(), HasSubstr("The prescribed pressures change the lattice density by 28.3 %"));
}

TEST(Check, knows_outlets_that_follow_flows) {
  using Rule = OpeningCase::Rule;
  auto c = velocity_case(0.3);
  c.openings[1].rule = Rule::windkessel;
  c.openings[1].windkessel = {.resistance = 1e9, .capacitance = 1e-10, .proximal = 1e8, .initial = 0};
  c.openings.push_back(opening("side", Kind::velocity, 0.25, 0.01, 1e-3));
  c.openings[2].rule = Rule::share;
  c.lattice.time_step = 1.1e-5;
  const auto scaling = make_scaling(c);
  EXPECT_DOUBLE_EQ(estimate_flow(c).peak_speed, 0.6);
  // 3/4 of 0.3 m/s through a radius of 2 mm, through 1.1e9 Pa s/m^3.
  const auto findings = find_problems(c, scaling);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].text,
            "The windkessels settle at about 3.11e+03 Pa, which changes the lattice density by 10.7 % (above 5 % the "
            "fluid is noticeably compressible). Start them there: initial = 3.11e+03.");
  c.openings[1].windkessel.initial = 3.11e3;
  EXPECT_TRUE(find_problems(c, make_scaling(c)).empty());
  const auto report = check_report(c, make_scaling(c), {});
  EXPECT_THAT(report, HasSubstr("windkessel R 1e+09 + 1e+08 Pa s/m^3, C 1e-10 m^3/Pa, RC 100 ms, from 3110 Pa, "
                                "lag 39.75 us\n"));
  EXPECT_THAT(report, HasSubstr("share 0.25 of the inflow\n"));
  c.openings[2].disc.radius = 0.5e-3;  // a narrow outlet with a high speed
  EXPECT_DOUBLE_EQ(estimate_flow(c).peak_speed, 2 * 0.25 * 0.3 * 16);
}

TEST(Check, predicts_what_becomes_unstable_by_the_cell_reynolds_number) {
  const auto found = [](Case c) -> std::string {
    for (const auto& f : find_problems(c, make_scaling(c)))
      if (f.text.find("cell Reynolds number") != std::string::npos)
        return (f.refused ? "refused: " : "warning: ") + f.text;
    return "";
  };
  auto c = velocity_case(0.3);
  const auto with = [&](double cell_reynolds) {  // set by the viscosity
    c.fluid.viscosity = c.fluid.density * 0.6 * c.surface.voxel / cell_reynolds;
    return c;
  };
  EXPECT_EQ(found(with(120)), "");
  EXPECT_EQ(found(with(150)),
            "warning: The cell Reynolds number (peak speed x voxel / viscosity) is 150 (above about 130 D3Q19 becomes "
            "unstable where a fast flow meets a wall). Set lattice.velocities to \"D3Q27\".");
  EXPECT_THAT(found(with(300)), testing::StartsWith("refused: "));
  c.lattice.velocities_are_chosen = true;  // before the lumens are known
  EXPECT_EQ(found(with(300)), "");
  choose_lattice(c);
  EXPECT_EQ(c.lattice.velocities, lattice::VelocitySet::d3q27);
  EXPECT_THAT(check_report(c, make_scaling(c), {}), HasSubstr("D3Q27, cumulant (chosen: a cell Reynolds number"));
  EXPECT_EQ(c.lattice.sponge, 0);  // given
  c.lattice.sponge_is_chosen = true;
  choose_lattice(c);
  EXPECT_DOUBLE_EQ(c.lattice.sponge, 1.5 * c.surface.voxel);
  EXPECT_FALSE(lattice_parameters(c, make_scaling(c)).sponge.at_inlets);
  with(15);
  choose_lattice(c);
  EXPECT_EQ(c.lattice.sponge, 0);
  EXPECT_EQ(c.lattice.velocities, lattice::VelocitySet::d3q19);
  c.lattice.velocities_are_chosen = false;
  c.lattice.smagorinsky = 0.1;
  EXPECT_EQ(found(with(300)), "");
  c.lattice.smagorinsky = 0;
  c.lattice.collision = lattice::Collision::trt;
  EXPECT_EQ(found(with(29)), "");
  EXPECT_THAT(found(with(40)), HasSubstr("Set lattice.collision to \"cumulant\"."));
}

TEST(Check, reports_numbers_and_openings) {
  auto c = velocity_case(0.3);
  c.openings[0].value = {{{0, 0.1}, {0.4, 0.3}}, 0.8};
  c.lattice.time_step = 1e-5;
  c.lattice.collision = lattice::Collision::trt;
  const auto report = check_report(c, make_scaling(c),
                                   {.ranks = 4,
                                    .sites = 2'000'000,
                                    .opening_sites = {1250, 1260},
                                    .balance = 1.1,
                                    .bytes_per_site = 400,
                                    .step = {.quick = 0.04, .usual = 0.05, .slow = 0.06},
                                    .load = 1.5});
  EXPECT_EQ(report,
            "Pipe (case.toml)\n"
            "  voxel               100 um\n"
            "  time step           10 us\n"
            "  tau                 0.5099\n"
            "  lattice             D3Q19, trt\n"
            "  viscosity           3.3e-06 m^2/s, 0.003302 in lattice units\n"
            "  peak speed          0.6 m/s, 0.06 voxels per step\n"
            "  Mach                0.104\n"
            "  Reynolds            363\n"
            "  steps               10,000 (100 ms)\n"
            "  sites               2,000,000\n"
            "  ranks               4, the fullest has 1.10 times the average\n  memory              220 MB per rank\n"
            "  run time            6 to 14 minutes (at 40 MLUPS)\n"
            "  load                1.5 per core before; the ranks got 80 % of their cores (the run takes the longer "
            "time if the machine stays this busy)\n"
            "\n"
            "  opening name    diameter     sites  prescribed\n"
            "  inlet   in          4 mm     1,250  velocity 0.1 to 0.3 m/s, 2 points, every 800 ms, Womersley 3.08\n"
            "  outlet  out         4 mm     1,260  pressure 0 Pa\n"
            "\n"
            "  resolution lumen       diameter    voxels   expected error: wall shear stress, pressure drop\n"
            "             in              4 mm      40.0                0.5 %                4.7 %\n"
            "             out             4 mm      40.0                0.5 %                4.7 %\n"
            "\n"
            "warning: The relaxation time tau is 0.5099 (below 0.51 disturbances hardly decay and the run may become "
            "unstable). Set lattice.time_step to 1.01e-05.\n");
}

TEST(Magic, slow_odd_moments_are_kept_from_ringing) {
  LatticeCase lattice;
  for (const auto collision : {lattice::Collision::trt, lattice::Collision::mrt}) {
    lattice.collision = collision;
    EXPECT_DOUBLE_EQ(magic_of(lattice, 0.8), 3.0 / 16);
    EXPECT_NEAR(magic_of(lattice, 0.51), 0.03, 1e-12);
  }
  lattice.collision = lattice::Collision::cumulant;
  EXPECT_DOUBLE_EQ(magic_of(lattice, 0.51), 3.0 / 16);
  lattice.collision = lattice::Collision::trt;
  lattice.magic = 0.25;
  EXPECT_DOUBLE_EQ(magic_of(lattice, 0.51), 0.25);
}

}  // namespace
}  // namespace weft::flow
