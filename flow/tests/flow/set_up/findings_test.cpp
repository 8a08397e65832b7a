// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "flow/set_up/check.hpp"
#include "flow/set_up/findings.hpp"
#include "weft/error.hpp"

namespace weft::flow {

namespace {

using ::testing::HasSubstr;
using Kind = lattice::OpeningState::Kind;

OpeningCase opening(geometry::Opening::Kind side, const char* name, Kind kind, double value) {
  OpeningCase o;
  o.disc = {side, name, {0, 0, 0}, {0, 0, 1}, 1e-3};
  o.kind = kind;
  o.value.points = {{0, value}};
  o.lumen_area = 1e-6;
  return o;
}

Case two_vessels(Kind last) {
  using Side = geometry::Opening::Kind;
  Case c;
  c.openings = {opening(Side::inlet, "in", Kind::velocity, 0.2), opening(Side::inlet, "in2", Kind::velocity, 0.3),
                opening(Side::outlet, "out", Kind::pressure, 0), opening(Side::outlet, "out2", last, -0.1)};
  c.parts = {0, 1, 0, 1};
  return c;
}

TEST(PartsCheck, a_part_without_a_pressure_that_does_not_balance_is_refused_with_its_numbers) {
  EXPECT_TRUE(find_part_problems(two_vessels(Kind::pressure)).empty());
  auto c = two_vessels(Kind::velocity);
  auto found = find_part_problems(c);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].refused);
  EXPECT_THAT(
      found[0].text,
      HasSubstr(
          "the one with 'in2', 'out2' has no opening with a pressure (on average 0.3 ml/s enter and 0.1 ml/s leave"));
  c.openings[3].value.points = {{0, -0.3}};
  found = find_part_problems(c);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].refused);
  c.parts = {};  // parts unknown: the pressure may belong to all openings
  EXPECT_TRUE(find_part_problems(c).empty());
}

TEST(PartsCheck, a_share_is_of_what_enters_through_all_inlets) {
  auto c = two_vessels(Kind::velocity);
  c.openings[3].rule = OpeningCase::Rule::share;
  c.openings[3].value.points = {{0, 0.6}};
  auto found = find_part_problems(c);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_FALSE(found[0].refused);
  EXPECT_THAT(found[0].text, HasSubstr("0.3 ml/s leave"));
}

}  // namespace

// Unlikely values are reported as slips, with the user's own units, and nothing else is reported then.

namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Case artery(double metres_per_unit = 1e-3) {
  Case c;
  c.file = "case.toml";
  c.surface.metres_per_unit = metres_per_unit;
  c.surface.voxel = 1e-4;
  c.fluid.density = 1060;
  c.fluid.viscosity = 3.5e-3;
  c.run.duration = 1;
  OpeningCase in, out;
  in.disc = {geometry::Opening::Kind::inlet, "in", {0, 0, 0}, {0, 0, 1}, 2 * metres_per_unit};
  in.kind = lattice::OpeningState::Kind::velocity;
  in.value.points = {{0, 0.2}};
  out.disc = {geometry::Opening::Kind::outlet, "out", {0, 0, 40 * metres_per_unit}, {0, 0, -1}, 2 * metres_per_unit};
  out.value.points = {{0, 0}};
  c.openings = {in, out};
  return c;
}

const Known small{.volume = 5e-7, .longest = 0.04, .memory = 8e9};

std::string told(const Case& c, const Known& known) {
  std::string all;
  for (const auto& f : find_problems(c, make_scaling(c), known))
    all += (f.refused ? "refused: " : "warning: ") + f.text + "\n";
  return all;
}

TEST(Unlikely, an_artery_has_none) { EXPECT_EQ(told(artery(), small), ""); }

TEST(Unlikely, rounding_to_16_bits_is_too_coarse_for_a_wide_lumen) {
  auto c = artery();
  for (const auto& [time_step, fp16, fp16c] :
       {std::tuple{1e-4, "", ""}, std::tuple{3e-5, "Set lattice.storage to \"fp16c\", or to \"full\".", ""},
        std::tuple{1e-5, "Set lattice.storage to \"full\".", "Set lattice.storage to \"full\"."}}) {
    c.lattice.time_step = time_step;
    c.lattice.precision = lattice::Precision::fp32;
    for (const auto& [storage, advice] :
         {std::pair{lattice::Storage::full, ""}, std::pair{lattice::Storage::fp16, fp16},
          std::pair{lattice::Storage::fp16c, fp16c}}) {
      c.lattice.storage = storage;
      const auto all = told(c, small);
      if (*advice == 0)
        EXPECT_THAT(all, Not(HasSubstr("rounding"))) << time_step;
      else
        EXPECT_THAT(all, AllOf(HasSubstr("changes the wall shear stress by about"), HasSubstr(advice))) << time_step;
    }
  }
}

TEST(Unlikely, a_mean_flow_of_the_wrong_sign_is_refused_unless_the_case_says_so) {
  auto c = artery();
  auto& in = c.openings[0];
  in.value = {{{0, 0.01}, {0.2, -0.2}, {0.4, -0.4}, {0.8, 0.01}}, 0.8};  // with some flow in the other direction
  EXPECT_THAT(
      told(c, small),
      HasSubstr("refused: Inlet 'in' moves 2.47 ml/s out of the vessel on average (positive is into the vessel). "
                "Set its sign to \"outward\" if its negative values are meant as inflow, as in SimVascular's "
                "files, or to \"inward\" if fluid does leave here."));
  in.value.period = 0;  // without a period, too
  EXPECT_THAT(told(c, small), HasSubstr("refused: Inlet 'in' moves"));
  in.has_sign = true;
  EXPECT_THAT(told(c, small), Not(HasSubstr("moves")));
  in.has_sign = false;
  in.value = {{{0, 0.2}, {0.2, -0.19}, {0.4, 0.2}}, 0.4};
  EXPECT_EQ(told(c, small), "");
  in.value = {{}, 0, Cosine{.mean = 0, .amplitude = 0.2, .period = 1}};
  EXPECT_EQ(told(c, small), "");
  in.value = {{{0, 0.2}}};
  auto& out = c.openings[1];
  out.kind = lattice::OpeningState::Kind::velocity;
  out.value = {{{0, 0.2}}};
  EXPECT_THAT(told(c, small), HasSubstr("refused: Outlet 'out' moves 2.51 ml/s into the vessel on average"));
}

TEST(Unlikely, a_beat_that_is_not_repeated_is_told) {
  auto c = artery();
  c.run.duration = 2;
  auto& value = c.openings[0].value;
  value = {{{0, 0.1}, {0.2, 0.3}, {0.4, 0.2}, {0.8, 0.11}}};
  EXPECT_EQ(
      told(c, small),
      "warning: The waveform of 'in' ends at 800 ms and has no period (its last value is held for the other 1.2 s "
      "of the run). Set its period to \"800 ms\" if it is one beat.\n");
  value.period = 0.8;
  EXPECT_EQ(told(c, small), "");
  value.period = 0;
  c.run.duration = 0.8;
  EXPECT_EQ(told(c, small), "");
  c.run.duration = 2;
  value.points = {{0, 0}, {0.1, 0.1}, {0.2, 0.2}, {0.3, 0.2}};  // a start
  EXPECT_EQ(told(c, small), "");
  value.points.clear();
  for (int k = 0; k < 9; ++k)
    value.points.push_back({0.1 * k, 0.2 + 0.1 * std::cos(5 * k)});  // the last row is missing
  EXPECT_THAT(told(c, small), HasSubstr("warning: The waveform of 'in' ends at 800 ms"));
}

TEST(Unlikely, cgs_values_without_their_unit_are_refused) {
  auto c = artery();
  c.openings[0].value.points = {{0, 5e-6 / c.openings[0].area()}};
  auto& out = c.openings[1];
  out.rule = OpeningCase::Rule::windkessel;
  out.windkessel = {.resistance = 24000, .capacitance = 1e-9};
  EXPECT_EQ(
      told(c, small),
      "refused: Outlet 'out' has a resistance of 2.4e+04 Pa s/m^3 (a mean flow of 5 ml/s would raise the pressure "
      "at the windkessels by only 0.0009 mmHg). Give resistances with their unit: if it is dyn s/cm^5, \"2.4e+04 "
      "dyn s/cm^5\", and the pressure rises by 90 mmHg.\n");
  out.windkessel.resistance = 18;
  EXPECT_THAT(told(c, small), HasSubstr("if it is mmHg s/ml, \"18 mmHg s/ml\", and the pressure rises by 90 mmHg"));
  out.windkessel.resistance = 3e6;  // of a slow flow
  c.openings[0].value.points = {{0, 1e-5}};
  EXPECT_THAT(told(c, small), Not(HasSubstr("resistance of")));
  out.windkessel.resistance = 1e-9;  // none
  EXPECT_THAT(told(c, small), Not(HasSubstr("resistance of")));
  out.windkessel = {.resistance = 2.4e9, .capacitance = 1e-4};
  EXPECT_THAT(told(c, small),
              HasSubstr("refused: Outlet 'out' has a capacitance of 0.0001 m^3/Pa, so that its time "
                        "constant is 2.4e+05 s (in a body it is 0.1 to 10 s). Give capacitances with "
                        "their unit: if it is cm^5/dyn, \"0.0001 cm^5/dyn\", and the time constant is 2.4 s."));
  auto thin = artery();
  thin.fluid.density = 1.06, thin.fluid.viscosity = 0.04;
  EXPECT_THAT(told(thin, small), HasSubstr("if they are CGS, \"1.06 g/cm^3\" and \"0.04 P\""));
}

TEST(Unlikely, a_wrong_unit_is_told_instead_of_its_pressures) {
  auto c = artery(1);
  c.openings[1].rule = OpeningCase::Rule::windkessel;
  c.openings[1].windkessel = {.resistance = 1e9, .capacitance = 1e-10};
  const auto text = told(c, {.volume = 500, .longest = 40, .memory = 8e9});
  EXPECT_THAT(text, HasSubstr("refused: The vessel is 40 m long (vessels are 20 um to 3 m long, so surface.unit is "
                              "probably wrong). Set surface.unit to \"mm\"."));
  EXPECT_THAT(text, Not(HasSubstr("Start them there")));
}

TEST(Unlikely, a_disc_wider_than_the_vessel_is_refused) {
  auto c = artery();
  c.openings[1].disc.radius = 1e4;
  EXPECT_EQ(told(c, small),
            "refused: The disc of outlet 'out' is 2e+04 m wide (the vessel is 40 mm long). Correct its radius.\n");
}

TEST(Unlikely, no_number_makes_a_line_long) {
  auto c = artery();
  c.lattice.time_step = 1e300;
  const auto text = told(c, small);
  EXPECT_THAT(text, HasSubstr("The peak Mach number is 6.93e+303 (above 0.3"));
  EXPECT_LT(text.size(), 600U) << text;
  EXPECT_LT(check_report(c, make_scaling(c), {.known = small}).size(), 1500U);
}

TEST(Unlikely, no_voxel_is_advised_that_does_not_resolve_the_vessel) {
  auto c = artery();
  c.fluid.viscosity = 1e6;  // a voxel that suits this viscosity would be many metres wide
  c.openings[0].value.points = {{0, 9}};
  c.openings[1].value.points = {{0, 1e9}};
  for (const double dt : {1e-5, 1e-9}) {
    c.lattice.time_step = dt;
    EXPECT_THAT(told(c, small), Not(HasSubstr(" 0 sites"))) << dt;
  }
  EXPECT_TRUE(resolves(artery(), 9e-4));
  EXPECT_FALSE(resolves(artery(), 1.1e-3));  // the openings are 4 mm wide
}

TEST(Unlikely, a_disc_that_cuts_no_lumen_is_refused) {
  const auto c = artery();
  const auto findings = find_lumen_problems(c, {geometry::round_lumen(c.openings[0].disc), geometry::Lumen{}});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_TRUE(findings[0].refused);
  EXPECT_THAT(findings[0].text, HasSubstr("The disc of opening 'out' cuts no lumen"));
}

TEST(Unlikely, a_refusal_is_said_once) {
  auto c = artery();
  c.openings[1].disc.radius = 1e4;
  const auto report = check_report(c, make_scaling(c), {.known = small});
  EXPECT_THAT(report, Not(HasSubstr("The disc of outlet")));  // the check ends with it
  EXPECT_THAT(report, Not(HasSubstr("No problems")));
  try {
    refuse(c, find_problems(c, make_scaling(c), small));
    ADD_FAILURE() << "not refused";
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), HasSubstr("case.toml: The disc of outlet"));
  }
}

TEST(Unlikely, a_speed_beyond_any_is_not_answered_by_a_voxel) {
  auto c = artery();
  c.openings[0].value.points = {{0, 3e8}};
  const auto text = told(c, small);
  EXPECT_THAT(text, HasSubstr("refused: Inlet 'in' prescribes 3e+08 m/s"));
  EXPECT_THAT(text, Not(HasSubstr("surface.voxel")));
}

TEST(Unlikely, a_voxel_that_the_memory_cant_hold_is_refused_with_one_that_it_can) {
  auto c = artery();
  c.surface.voxel = 3e-6;
  const auto text = told(c, {.volume = 1e-7, .longest = 0.04, .memory = 24e9});
  EXPECT_THAT(text,
              HasSubstr("refused: A voxel of 3 um makes 3.7 thousand million sites, which take 822 GB (there are 24 GB "
                        "of memory). Set surface.voxel to \"13 um\" or more (13 um: 46 million sites, 10.2 GB)"));
  // The advised value passes the check.
  c.surface.voxel = 13e-6;
  EXPECT_THAT(told(c, {.volume = 1e-7, .longest = 0.04, .memory = 24e9}), Not(HasSubstr("memory")));
}

TEST(Unlikely, a_table_that_jumps_where_it_begins_again_is_noticed) {
  auto c = artery();
  c.openings[0].value = {{{0, 0.1}, {0.4, 0.3}, {0.8, 0.25}}, 0.8};
  EXPECT_THAT(told(c, small),
              HasSubstr("warning: The waveform of 'in' jumps from 0.25 to 0.1 m/s at the end of its period of 800 ms"));
  c.openings[0].value = {{{0, 0.1}, {0.4, 0.3}, {0.8, 0.1}}, 0.8};
  EXPECT_EQ(told(c, small), "");
  c.openings[0].value = {{{0, 0.1}, {0.4, 0.3}}, 0.8};  // linear to the next beat
  EXPECT_EQ(told(c, small), "");
}

TEST(Unlikely, steps_for_years_are_refused) {
  auto c = artery();
  c.lattice.time_step = 1e-14;
  EXPECT_THAT(told(c, small), HasSubstr("refused: The run's 1 s in steps of 1e-14 s would be 1e+14 steps (they would "
                                        "take years). Remove lattice.time_step."));
}

TEST(Unlikely, the_run_is_refused_by_what_the_check_says) {
  auto c = artery();
  c.openings[0].value.points = {{0, 3e8}};
  const auto findings = find_problems(c, make_scaling(c), small);
  ASSERT_TRUE(findings.front().refused);
  // Both the check and the run end with it, so the check's report does not repeat it.
  EXPECT_THAT(check_report(c, make_scaling(c), {.known = small}), Not(HasSubstr(findings.front().text)));
  try {
    refuse(c, findings);
    FAIL() << "was not refused";
  } catch (const InputError& e) {
    EXPECT_EQ(e.what(), "case.toml: " + findings.front().text);
    EXPECT_TRUE(e.everywhere());
  }
  EXPECT_NO_THROW(refuse(artery(), find_problems(artery(), make_scaling(artery()), small)));
}

}  // namespace

}  // namespace weft::flow
