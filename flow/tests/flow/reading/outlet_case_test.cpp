// SPDX-License-Identifier: BSD-3-Clause
//
// [tune], [[compartment]], [[connection]], and the begin and end of a run: correct and refused cases.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/reading/case_reader.hpp"
#include "flow/scaling/scaling.hpp"
#include "flow/set_up/check.hpp"
#include "flow/step/controls.hpp"
#include "tests/support/scratch.hpp"
#include "weft/error.hpp"

namespace weft::flow {
namespace {

using testing::AllOf, testing::HasSubstr;

constexpr double a_mmhg = 133.322387415;

std::string opening(const std::string& kind, const std::string& name, const std::string& what) {
  const bool in = kind == "inlet";
  return "[[" + kind + "]]\nname = \"" + name + "\"\ncentre = [0, " + (name == "right" ? "9" : "0") + ", " +
         (in ? "0" : "50") + "]\nnormal = [0, 0, " + (in ? "1" : "-1") +
         "]\nradius = " + (name == "right" ? "2" : "4") + "\n" + what + "\n";
}
constexpr auto head = "[surface]\nfile = \"a.stl\"\nunit = \"mm\"\nvoxel = \"0.4 mm\"\n";
constexpr auto wave = "flow = [[0, \"10 ml/s\"], [0.1, \"90 ml/s\"], [0.4, 0]]\nperiod = 0.8";
constexpr auto tuned = "windkessel = \"tuned\"";

std::string tuned_case(const std::string& tune, const std::string& inlet = wave, const std::string& right = tuned,
                       const std::string& run = "steps = 10") {
  return std::string(head) + opening("inlet", "in", inlet) + opening("outlet", "left", tuned) +
         opening("outlet", "right", right) + "[run]\n" + run + "\n" + tune;
}
constexpr auto heart =
    "[[compartment]]\nname = \"heart\"\nelastance = {lowest = \"0.1 mmHg/ml\", highest = \"2 mmHg/ml\", period = "
    "0.8}\nvolume = \"120 ml\"\n"
    "[[compartment]]\nname = \"root\"\ncapacitance = \"1 ml/mmHg\"\npressure = \"80 mmHg\"\nunstressed = \"20 ml\"\n"
    "[[compartment]]\nname = \"body\"\ncapacitance = \"2 ml/mmHg\"\npressure = \"10 mmHg\"\n";
constexpr auto ways =
    "[[connection]]\nfrom = \"heart\"\nto = \"root\"\nresistance = \"0.01 mmHg s/ml\"\nvalve = true\n"
    "[[connection]]\nname = \"home\"\nfrom = \"body\"\nto = \"heart\"\ninertance = \"0.01 mmHg s^2/ml\"\n";
std::string heart_case(const std::string& more = std::string(heart) + ways,
                       const std::string& outlet = "compartment = \"body\"\nresistance = 1e7") {
  return std::string(head) + opening("inlet", "in", "compartment = \"root\"") + opening("outlet", "left", outlet) +
         "[run]\nsteps = 10\n" + more;
}

Case read(const std::string& text) {
  const test::Scratch scratch;
  return read_case(scratch.write("case.toml", text));
}
std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const InputError& e) {
    EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos);
    return e.what();
  }
  return "";
}

TEST(OutletCase, a_tune_is_read) {
  const auto c = read(tuned_case("[tune]\npressure = \"120/80 mmHg\"\nat = \"left\"\n"));
  EXPECT_NEAR(*c.tune.systolic / a_mmhg, 120, 1e-12);
  EXPECT_NEAR(*c.tune.diastolic / a_mmhg, 80, 1e-12);
  EXPECT_EQ(c.tune.at, 1U);
  EXPECT_NEAR(c.tune.share[1] / c.tune.share[2], 8, 1e-12);  // by Murray's law
  EXPECT_NEAR(c.openings[2].windkessel.resistance / c.openings[1].windkessel.resistance, 8, 0.2);
  EXPECT_GT(c.openings[1].windkessel.initial, 60 * a_mmhg);
  EXPECT_NEAR(read(tuned_case("[tune]\nmean = \"90 mmHg\"\nsplit = \"area\"\n")).tune.share[1], 0.8, 1e-12);
  EXPECT_NEAR(read(tuned_case("[tune]\nmean = 1e4\nsplit = {left = 3, right = 1}\n")).tune.share[1], 0.75, 1e-12);
  EXPECT_NEAR(*read(tuned_case("[tune]\npressure = \"16/11 kPa\"\n")).tune.diastolic, 11e3, 1e-9);
}

TEST(OutletCase, bad_tunes_are_refused) {
  const auto why = [](const std::string& tune) { return refusal(tuned_case("[tune]\n" + tune + "\n")); };
  for (const auto* bad : {"120", "120/80", "80/120 mmHg", "120 mmHg", "a/b mmHg", "120/80 m", "/", "120/80/60 mmHg"})
    EXPECT_THAT(why(std::string("pressure = \"") + bad + "\""),
                AllOf(HasSubstr("case.toml:"), HasSubstr("120/80 mmHg")))
        << bad;
  EXPECT_THAT(why(""), HasSubstr("pressure, mean"));
  EXPECT_THAT(why("pressure = \"120/80 mmHg\"\npulse = 1"), HasSubstr("Remove the pulse"));
  EXPECT_THAT(why("mean = 1e4\nat = \"lef\""), AllOf(HasSubstr("no opening"), HasSubstr("left")));
  EXPECT_THAT(why("mean = 1e4\nsplit = {left = 1}"), HasSubstr("lacks 'right'"));
  EXPECT_THAT(why("mean = 1e4\nsplit = {left = 1, right = 1, top = 1}"), HasSubstr("The key 'top' is unknown"));
  EXPECT_THAT(why("mean = 1e4\nsplit = \"evenly\""), HasSubstr("murray, area"));
  EXPECT_THAT(why("mean = 1e4\nproximal = 0.95"), HasSubstr("at most 0.9"));
  EXPECT_THAT(why("mean = 1e4\nbehind = 2e4"), HasSubstr("Raise the target"));
  EXPECT_THAT(refusal(tuned_case("")), HasSubstr("there is no [tune]"));
  EXPECT_THAT(refusal(tuned_case("[tune]\nmean = 1e4\n", "pressure = 1e4")), HasSubstr("'in' prescribes no flow"));
  EXPECT_THAT(refusal(tuned_case("[tune]\nmean = 1e4\n", wave, "pressure = 0")),
              HasSubstr("'right' prescribes no flow"));
  EXPECT_THAT(refusal(tuned_case("[tune]\npressure = \"120/80 mmHg\"\n", "flow = 1e-5")),
              HasSubstr("no flow has a period"));
  EXPECT_EQ(refusal(tuned_case("[tune]\nmean = 1e4\n", "flow = 1e-5")), "");
  EXPECT_THAT(refusal(tuned_case("[tune]\nmean = 1e4\n", "flow = -1e-5")), HasSubstr("Increase the inflow"));
  EXPECT_THAT(refusal(std::string(head) + opening("inlet", "in", wave) + opening("outlet", "o", "pressure = 0") +
                      "[run]\nsteps = 1\n[tune]\nmean = 1\n"),
              HasSubstr("no outlet is tuned"));
}

TEST(OutletCase, a_circulation_is_read) {
  const auto c = read(heart_case());
  ASSERT_EQ(c.circulation.compartments.size(), 3U);
  EXPECT_NEAR(c.circulation.compartments[1].volume, 100e-6, 1e-12);  // 20 ml and 80 mmHg
  EXPECT_EQ(c.circulation.connections[0].name, "heart_to_root");
  EXPECT_TRUE(c.circulation.connections[0].valve);
  EXPECT_EQ(c.openings[0].compartment, 1U);
  EXPECT_NEAR(c.openings[0].windkessel.initial / a_mmhg, 80, 1e-9);
  EXPECT_EQ(c.openings[1].windkessel.proximal, 1e7);
  EXPECT_GT(c.openings[0].expected_speed, 0);
}

TEST(OutletCase, bad_circulations_are_refused) {
  const auto replaced = [](const std::string& from, const std::string& to) {
    auto text = heart_case();
    text.replace(text.find(from), from.size(), to);
    return refusal(text);
  };
  EXPECT_THAT(replaced("compartment = \"root\"", "compartment = \"rot\""),
              AllOf(HasSubstr("no [[compartment]]"), HasSubstr("Did you mean 'root'")));
  EXPECT_THAT(replaced("to = \"root\"", "to = \"heart\""), HasSubstr("begins and ends at the same compartment"));
  EXPECT_THAT(replaced("to = \"root\"", "to = \"hart\""), HasSubstr("Did you mean 'heart'"));
  EXPECT_THAT(replaced("name = \"body\"", "name = \"root\""), HasSubstr("Two compartments are called 'root'"));
  EXPECT_THAT(replaced("highest = \"2 mmHg/ml\"", "highest = 0.05"), HasSubstr("less than lowest"));
  EXPECT_THAT(replaced("period = 0.8", "period = 0.8, rise = 0.9, fall = 0.2"), HasSubstr("sum is at most 1"));
  EXPECT_THAT(replaced("resistance = \"0.01 mmHg s/ml\"", "resistance = 0"), HasSubstr("resistance"));
  EXPECT_THAT(replaced("volume = \"120 ml\"", "volume = 1\npressure = 1"), HasSubstr("volume"));
  EXPECT_THAT(replaced("\"1 ml/mmHg\"", "0"), HasSubstr("capacitance"));
  EXPECT_THAT(refusal(heart_case(heart, "pressure = 0\nresistance = 1")), HasSubstr("without a compartment"));
  EXPECT_THAT(refusal(heart_case("")), HasSubstr("there are: none"));
  EXPECT_THAT(refusal(tuned_case(std::string("[tune]\nmean = 1e4\n") + heart)), HasSubstr("no opening names one"));
}

TEST(OutletCase, a_compartment_that_yields_too_little_is_refused_before_the_run) {
  auto c = read(heart_case());
  const auto refused = [&] {
    for (const auto& finding : find_problems(c, make_scaling(c)))
      if (finding.refused && finding.text.find("ompartment 'root'") != std::string::npos) return true;
    return false;
  };
  EXPECT_FALSE(refused());
  c.circulation.compartments[1].capacitance *= 1e-12;
  EXPECT_TRUE(refused());
}

TEST(OutletCase, how_a_run_begins_and_ends) {
  const auto run = [](const std::string& text) {
    return tuned_case("[tune]\nmean = 1e4\n", wave, tuned, "steps = 10\n" + text);
  };
  auto c = read(run(""));
  EXPECT_GT(start_ramp(c, make_scaling(c)), 0) << "a case that does not say it";
  c = read(run("ramp = 0"));
  EXPECT_EQ(start_ramp(c, make_scaling(c)), 0);
  c = read(run("ramp = \"20 ms\""));
  EXPECT_EQ(c.run.ramp, 0.02);
  EXPECT_FALSE(c.run.until_periodic);
  c = read(run("ramp = \"auto\"\nuntil = \"periodic\"\ntolerance = 0.002"));
  EXPECT_NEAR(start_ramp(c, make_scaling(c)), 0.08, 0.04);
  EXPECT_TRUE(c.run.until_periodic);
  EXPECT_EQ(c.run.tolerance, 0.002);
  EXPECT_THAT(refusal(run("ramp = -1")), HasSubstr("ramp in [run]"));
  EXPECT_THAT(refusal(run("until = \"late\"")), HasSubstr("end, periodic"));
  EXPECT_THAT(refusal(run("tolerance = 0.1")), HasSubstr("until = \"periodic\""));
  EXPECT_THAT(refusal(tuned_case("[tune]\nmean = 1e4\n", "flow = 1e-5", tuned, "steps = 1\nuntil = \"periodic\"")),
              HasSubstr("the flow has no common period"));
}

// During the ramp, velocities start from 0 and pressures from the fluid's initial pressure, smoothly; after it they are
// as prescribed.
TEST(OutletCase, a_ramp_lets_openings_come_up) {
  auto c =
      read(std::string(head) + opening("inlet", "in", "velocity = 0.1") + opening("outlet", "left", "pressure = 100") +
           "[run]\nsteps = 10\nramp = 1e-3\n[lattice]\ntime_step = 1e-5\n");
  const auto scaling = make_scaling(c);
  const Controls controls(c, scaling);
  double before = 0;
  for (int n = 0; n < 99; ++n) {
    const double now = controls.opening(0, n);
    EXPECT_GT(now, before);
    EXPECT_LT(now - before, 0.1 * 0.02);
    EXPECT_TRUE(controls.opening_changes(0, n));
    before = now;
  }
  EXPECT_EQ(controls.opening(0, 99), 0.1);
  EXPECT_EQ(controls.opening(0, 5000), 0.1);
  EXPECT_FALSE(controls.opening_changes(0, 5000));
  EXPECT_EQ(controls.opening(1, 0), 100);  // the fluid's initial pressure
}

}  // namespace
}  // namespace weft::flow
