// SPDX-License-Identifier: BSD-3-Clause
#include "flow/case/case.hpp"
#include "flow/scaling/scaling.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "flow/case/table.hpp"
#include "flow/reading/case_reader.hpp"
#include "geometry/units.hpp"
#include "program/quantity.hpp"
#include "tests/support/scratch.hpp"
#include "weft/error.hpp"

namespace weft::flow {

using namespace program;

namespace {

using Kind = lattice::OpeningState::Kind;

constexpr auto full_case = R"(title = "Aneurysm at a bifurcation"
[surface]
file = "mesh/aneurysm.stl"
unit = "mm"
voxel = "0.11 mm"
[fluid]
density = "1.05 g/cm^3"
viscosity = "3.5 mPa s"
[lattice]
collision = "bgk"
time_step = "20 us"
magic = 0.25
[[inlet]]
name = "parent"
centre = [1.0, 2, 0.0]
normal = [0.0, 0.0, 2.0]
radius = 2.0
velocity = [[0.0, 0.1], ["100 ms", "40 cm/s"]]
period = "0.8 s"
[[outlet]]
name = "left"
centre = [0, 0, 10]
normal = [0, 3, -4]
radius = "1.5 mm"
pressure = "0.1 mmHg"
[[outlet]]
centre = [0, 5, 10]
normal = [0, 0, -1]
radius = 1
flow = "-6 ml/min"
[run]
duration = "50 ms"
[monitor]
every = 10
tolerance = 1e-6
[output]
directory = "results"
every = "25 ms"
pictures = true
)";

constexpr auto short_case = R"([surface]
file = "/data/pipe.stl"
unit = 0.0254
voxel = 1e-4
[[inlet]]
centre = [0, 0, 0]
normal = [0, 0, 1]
radius = 0.1
pressure = 10
[run]
steps = 8000
)";

Case read(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const test::Scratch scratch;
  return read_case(scratch.write("vessel.toml", text), overrides);
}

TEST(Case, every_key_is_read_in_si) {
  const test::Scratch scratch;
  const auto c = read_case(scratch.write("vessel.toml", full_case));
  EXPECT_EQ(c.title, "Aneurysm at a bifurcation");
  EXPECT_EQ(c.surface.file, scratch.path() / "mesh/aneurysm.stl");
  EXPECT_DOUBLE_EQ(c.surface.metres_per_unit, 1e-3);
  EXPECT_DOUBLE_EQ(c.surface.voxel, 1.1e-4);
  EXPECT_DOUBLE_EQ(c.fluid.density, 1050);
  EXPECT_DOUBLE_EQ(c.fluid.viscosity, 3.5e-3);
  EXPECT_EQ(c.lattice.collision, lattice::Collision::bgk);
  EXPECT_DOUBLE_EQ(c.lattice.time_step.value(), 2e-5);
  EXPECT_DOUBLE_EQ(c.lattice.magic.value(), 0.25);
  EXPECT_DOUBLE_EQ(c.run.duration.value(), 0.05);
  EXPECT_FALSE(c.run.steps.has_value());
  EXPECT_EQ(c.monitor.every, 10);
  EXPECT_DOUBLE_EQ(c.monitor.tolerance, 1e-6);
  EXPECT_EQ(c.output.directory, "results");
  EXPECT_DOUBLE_EQ(c.output.every_seconds.value(), 0.025);
  EXPECT_TRUE(c.output.pictures);

  ASSERT_EQ(c.openings.size(), 3U);
  const auto& parent = c.openings[0];
  EXPECT_EQ(parent.disc.name, "parent");
  EXPECT_EQ(parent.disc.kind, geometry::Opening::Kind::inlet);
  EXPECT_EQ(parent.disc.centre, (geometry::Vector{1e-3, 2e-3, 0}));
  EXPECT_EQ(parent.disc.normal, (geometry::Vector{0, 0, 1}));
  EXPECT_DOUBLE_EQ(parent.disc.radius, 2e-3);
  EXPECT_EQ(parent.kind, Kind::velocity);
  EXPECT_DOUBLE_EQ(parent.value.period, 0.8);
  EXPECT_DOUBLE_EQ(parent.value.at(0.05), 0.25);
  const auto& left = c.openings[1];
  EXPECT_EQ(left.kind, Kind::pressure);
  EXPECT_NEAR(left.value.at(0), 13.3322, 1e-4);
  EXPECT_DOUBLE_EQ(left.disc.radius, 1.5e-3);
  EXPECT_DOUBLE_EQ(left.disc.normal[2], -0.8);
  const auto& right = c.openings[2];
  EXPECT_EQ(right.disc.name, "outlet1");
  EXPECT_EQ(right.kind, Kind::velocity);
  EXPECT_NEAR(right.value.at(0), -1e-7 / (std::numbers::pi * 1e-6), 1e-12);
  EXPECT_EQ(c.discs().size(), 3U);
}

TEST(Case, what_is_left_out_has_a_default) {
  const auto c = read(short_case);
  EXPECT_EQ(c.title, "vessel");
  EXPECT_EQ(c.surface.file, "/data/pipe.stl");
  EXPECT_DOUBLE_EQ(c.surface.metres_per_unit, 0.0254);
  EXPECT_DOUBLE_EQ(c.fluid.density, 1060);
  EXPECT_DOUBLE_EQ(c.fluid.viscosity, 3.5e-3);
  EXPECT_EQ(c.lattice.collision, lattice::Collision::cumulant);
  EXPECT_FALSE(c.lattice.time_step.has_value());
  EXPECT_EQ(c.openings.at(0).disc.name, "inlet0");
  EXPECT_EQ(c.run.steps, 8000);
  EXPECT_EQ(c.monitor.every, 1);
  EXPECT_EQ(c.monitor.tolerance, 0);
  EXPECT_EQ(c.output.directory, "out/vessel");
  EXPECT_FALSE(c.output.every_seconds || c.output.every_steps);
  EXPECT_FALSE(c.output.pictures);
}

TEST(Case, overrides_replace_values) {
  const auto c = read(
      full_case, {"run.steps=100", "fluid.viscosity=0.004", "outlet.left.pressure = 2 kPa", "inlet.0.velocity=0.2",
                  "lattice.collision=trt", "output.every=50", "outlet.1.pressure=[[0, 1], [1, 2]]", "title=Two words"});
  EXPECT_EQ(c.run.steps, 100);
  EXPECT_FALSE(c.run.duration.has_value());
  EXPECT_DOUBLE_EQ(c.fluid.viscosity, 0.004);
  EXPECT_DOUBLE_EQ(c.openings[1].value.at(0), 2000);
  EXPECT_DOUBLE_EQ(c.openings[0].value.at(0.7), 0.2);
  EXPECT_EQ(c.openings[0].value.period, 0);
  EXPECT_EQ(c.lattice.collision, lattice::Collision::trt);
  EXPECT_EQ(c.output.every_steps, 50);
  EXPECT_EQ(c.openings[2].kind, Kind::pressure);
  EXPECT_DOUBLE_EQ(c.openings[2].value.at(0.5), 1.5);
  EXPECT_EQ(c.title, "Two words");
}

TEST(Case, a_mark_and_any_line_end_change_nothing) {
  const test::Scratch scratch;
  std::string old_mac = "\xEF\xBB\xBF";
  for (const char c : std::string(full_case)) old_mac += c == '\n' ? '\r' : c;
  const auto c = read_case(scratch.write("case.toml", old_mac));
  EXPECT_EQ(c.openings, read_case(scratch.write("case.toml", full_case)).openings);
}

TEST(Case, overrides_make_sections) {
  const auto c = read(short_case, {"monitor.tolerance=1e-5", "run.duration=2 ms", "output.pictures=true"});
  EXPECT_DOUBLE_EQ(c.monitor.tolerance, 1e-5);
  EXPECT_DOUBLE_EQ(c.run.duration.value(), 2e-3);
  EXPECT_FALSE(c.run.steps.has_value());
  EXPECT_TRUE(c.output.pictures);
}

TEST(Quantity, units_are_understood_in_usual_spellings) {
  EXPECT_DOUBLE_EQ(parse_quantity("3.5 mPa s", Dimension::viscosity), 3.5e-3);
  EXPECT_DOUBLE_EQ(parse_quantity("3.5mPa*s", Dimension::viscosity), 3.5e-3);
  EXPECT_DOUBLE_EQ(parse_quantity("4 cP", Dimension::viscosity), 4e-3);
  EXPECT_DOUBLE_EQ(parse_quantity("20 \u00b5s", Dimension::time), 2e-5);
  EXPECT_DOUBLE_EQ(parse_quantity(" 20  us ", Dimension::time), 2e-5);
  EXPECT_DOUBLE_EQ(parse_quantity("-1e1 cm/s", Dimension::velocity), -0.1);
  EXPECT_DOUBLE_EQ(parse_quantity("+1060 kg/m\u00b3", Dimension::density), 1060);
  EXPECT_DOUBLE_EQ(parse_quantity("6 ml/min", Dimension::flow), 1e-7);
  EXPECT_DOUBLE_EQ(parse_quantity("1 mmHg", Dimension::pressure), 133.322387415);
}

TEST(Quantity, units_of_papers_are_understood) {
  const struct {
    Dimension dimension;
    double si;
    std::vector<std::string> texts;
  } same[] = {
      {Dimension::flow,
       1e-6,
       {"1 mL/s", "1 cc/s", "1 cm^3/s", "1 cm3/s", "1 cm\u00b3\u00b7s\u207b\u00b9", "1 ml s^-1", "60 mL/min",
        "60 cm3/min", "0.06 L/min", "0.6 dL/min", "0.06 l min-1", "1e3 uL/s", "1e3 mm3/sec", "1000\u00a0\u00b5l/s",
        "1 cm**3/s"}},
      {Dimension::pressure,
       0.1,
       {"1 dyn/cm^2", "1 dyne/cm2", "1 dynes/cm\u00b2", "1 dyn cm^-2", "1 Ba", "1 g/(cm s^2)", "1 g/cm/s^2", "1e-7 MPa",
        "1e5 uN/m^2", "0.1 N/m2"}},
      {Dimension::pressure, 98.0665, {"1 cmH2O", "10 mmH2O", "1 cm H2O", "1 cmH\u2082O"}},
      {Dimension::pressure, 101325, {"1 atm", "14.69594877551345 psi"}},
      {Dimension::flow, 1e-3, {"60 lpm"}},
      {Dimension::resistance, 7999343.2449, {"1 WU"}},
      {Dimension::viscosity,
       4e-3,
       {"4 cP", "0.04 P", "0.04 poise", "4 centipoise", "0.04 Poise", "0.04 g/(cm s)", "0.04 g/cm/s", "0.04 dyn s/cm^2",
        "4 mPa.s", "4 mPa-s", "4mPa\u22c5s", "4e-3 kg/m/s", "4e-3 N s/m^2"}},
      {Dimension::resistance,
       1e8,
       {"1000 dyn s/cm^5", "1000 dyn.s.cm-5", "1e3 dynes-sec/cm5", "1000 dyn\u00b7s\u00b7cm\u207b\u2075",
        "1000 g/(cm^4 s)", "100 Pa s/mL", "100 MPa s/m^3", "100 Pa*s/cc", "0.1 kPa s/ml", "1000 dyn/cm^2/(cc/s)"}},
      {Dimension::resistance,
       133.322387415e6,
       {"1 mmHg s/mL", "1 mm Hg s/ml", "1 mmHg s ml\u20131", "1 mmHg/(ml/s)", "1 mmHg-s/ml", "1 mmHg\u00b7s/cm\u00b3",
        "1 mmhg s cc^-1"}},
      {Dimension::capacitance,
       1e-10,
       {"1e-5 cm^5/dyn", "1e-5 cm5/dyne", "1e-4 ml/Pa", "1e-5 cm^5 dyn^-1", "0.1 mm^3/Pa"}},
      {Dimension::elastance, 1e5, {"1 dyn/cm^5", "0.1 Pa/mL"}},
      {Dimension::inertance, 1e5, {"1 g/cm^4", "1 dyn s^2/cm^5"}},
      {Dimension::density, 1060, {"1.06 g/cc", "1.06 g/mL", "1.06 kg/L", "1060 kg m^-3", "1.06 g cm-3"}},
      {Dimension::volume, 1e-6, {"1 cc", "1 mL", "1 cm3", "1e-3 L"}},
      {Dimension::length, 1e-6, {"1 um", "1 \u00b5m", "1 \u03bcm", "1 micron", "1e-4 cm"}},
      {Dimension::time, 60, {"60 sec", "1 min", "1 minute", "6e4 msec"}},
      {Dimension::velocity, 0.01, {"1 cm/s", "1 cm s^-1", "1 cm/sec", "0.6 m/min"}},
  };
  for (const auto& [dimension, si, texts] : same)
    for (const auto& text : texts) {
      double value = 0;
      EXPECT_NO_THROW(value = parse_quantity(text, dimension)) << text;
      EXPECT_NEAR(value / si, 1, 1e-14) << text;
    }
  // Another dimension, a prefix that no paper has, and what is no unit.
  for (const auto* text : {"1 ml", "1 m^2/s", "1 ML/s", "1 ml//s", "1 ml/", "1 /s ml", "1 ml/s)", "1 (ml/s", "1 ml/s 1",
                           "1 ()", "1 ml^3^2/s", "1 ml/s-", "1 kg/m s", "1 ,000 ml/s", "1 m^99999999999/s"})
    EXPECT_THROW(parse_quantity(text, Dimension::flow), InputError) << text;
  EXPECT_THROW(parse_quantity("1 " + std::string(100000, '('), Dimension::flow), InputError);
}

TEST(Quantity, a_surfaces_units_are_those_of_lengths) {
  for (const auto& unit : geometry::surface_units)
    EXPECT_EQ(program::parse_quantity(std::string("1 ") + unit.name, program::Dimension::length), unit.value);
}

TEST(Quantity, errors_name_the_units_allowed) {
  const auto message = [](std::string_view text) {
    try {
      parse_quantity(text, Dimension::time);
    } catch (const InputError& e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  const std::string allowed = "). Give a number and one of the units s, ms, us, ns, min.";
  EXPECT_EQ(message("3 mm"), "'3 mm' is not a time (unknown unit 'mm'" + allowed);
  EXPECT_EQ(message("3"), "'3' is not a time (it has no unit" + allowed);
  EXPECT_EQ(message("ms"), "'ms' is not a time (it does not begin with a number" + allowed);
  EXPECT_EQ(message(""), "'' is not a time (it is empty" + allowed);
  EXPECT_EQ(message("inf s"), "'inf s' is not a time (the number is not finite" + allowed);
  EXPECT_EQ(message("1e999 s"), "'1e999 s' is not a time (the number is too large or too small" + allowed);
}

TEST(Table, holds_its_ends_or_repeats) {
  const Table once{{{1, 10}, {2, 20}, {4, 0}}};
  EXPECT_DOUBLE_EQ(once.at(-5), 10);
  EXPECT_DOUBLE_EQ(once.at(1), 10);
  EXPECT_DOUBLE_EQ(once.at(1.5), 15);
  EXPECT_DOUBLE_EQ(once.at(3), 10);
  EXPECT_DOUBLE_EQ(once.at(4), 0);
  EXPECT_DOUBLE_EQ(once.at(9), 0);

  const Table repeated{{{1, 10}, {2, 20}, {4, 0}}, 5};
  EXPECT_DOUBLE_EQ(repeated.at(6.5), 15);
  EXPECT_DOUBLE_EQ(repeated.at(5), 5);  // half-way between 4 s and 5 + 1 s
  EXPECT_DOUBLE_EQ(repeated.at(0), 5);
  EXPECT_DOUBLE_EQ(repeated.at(0.5), 7.5);
  EXPECT_DOUBLE_EQ(repeated.at(-3.5), 15);

  const Table closed{{{0, 1}, {0.5, 3}, {1, 1}}, 1};
  for (const double t : {0.0, 1.0, 2.0, 17.0}) EXPECT_DOUBLE_EQ(closed.at(t), 1);
  EXPECT_DOUBLE_EQ(closed.at(2.5), 3);

  const Table constant{{{0, 7}}};
  EXPECT_DOUBLE_EQ(constant.at(123), 7);
  EXPECT_DOUBLE_EQ(once.lowest(), 0);
  EXPECT_DOUBLE_EQ(once.highest(), 20);
}

TEST(Table, a_cosine_repeats) {
  const Table wave{{}, 0, Cosine{.mean = 0.2, .amplitude = -0.1, .period = 0.8, .phase = 0.3}};
  EXPECT_FALSE(wave.constant());
  EXPECT_EQ(wave.repeats_after(), 0.8);
  for (int i = -50; i < 200; ++i) {
    const double t = 0.0173 * i;
    EXPECT_NEAR(wave.at(t), 0.2 - 0.1 * std::cos(2 * std::numbers::pi * t / 0.8 + 0.3), 1e-14);
  }
  EXPECT_DOUBLE_EQ(wave.lowest(), 0.1);
  EXPECT_DOUBLE_EQ(wave.highest(), 0.3);
  EXPECT_DOUBLE_EQ(wave.largest_magnitude(), 0.3);
  EXPECT_DOUBLE_EQ(wave.mean(), 0.2);
  EXPECT_DOUBLE_EQ((Table{{{0, 1}, {0.5, 3}, {1, 1}}, 1}).mean(), 2);
  EXPECT_DOUBLE_EQ((Table{{{0.25, 1}, {0.75, 3}}, 1}).mean(), 2);
  EXPECT_DOUBLE_EQ((Table{{{0, 1}, {2, 7}}}).mean(), 7);
}

TEST(Waveform, a_cosine_is_read_in_si) {
  const auto c = read(full_case, {R"(inlet.parent.velocity={mean = "20 cm/s", amplitude = 0.1, period = "0.8 s"})",
                                  R"(outlet.1.flow={mean = "-6 ml/min", amplitude = 1e-8, period = 2, phase = 1.5})"});
  const auto& cosine = c.openings[0].value.cosine.value();
  EXPECT_DOUBLE_EQ(cosine.mean, 0.2);
  EXPECT_DOUBLE_EQ(cosine.amplitude, 0.1);
  EXPECT_DOUBLE_EQ(cosine.period, 0.8);
  EXPECT_EQ(cosine.phase, 0);
  const double area = std::numbers::pi * 1e-6;
  EXPECT_DOUBLE_EQ(c.openings[2].value.cosine.value().mean, -1e-7 / area);
  EXPECT_DOUBLE_EQ(c.openings[2].value.cosine.value().amplitude, 1e-8 / area);
  EXPECT_DOUBLE_EQ(read(full_case, {"inlet.parent.velocity={mean = 0.2, amplitude = 0.1, period = 1}",
                                    "inlet.parent.velocity.mean=0.3"})
                       .openings[0]
                       .value.highest(),
                   0.4);
}

TEST(Case, outlets_may_follow_flows) {
  using Rule = OpeningCase::Rule;
  const auto c =
      read(full_case, {R"(outlet.left.windkessel={resistance = "1.5 mmHg s/ml", capacitance = "0.2 ml/mmHg", )"
                       R"(proximal = "2000 dyn s/cm^5", pressure = "5 mmHg", initial = "80 mmHg"})",
                       "outlet.1.share=0.3"});
  constexpr double mmhg = 133.322387415;
  const auto& left = c.openings[1];
  EXPECT_EQ(left.kind, Kind::pressure);
  ASSERT_TRUE(left.is(Rule::windkessel));
  EXPECT_DOUBLE_EQ(left.windkessel.resistance, 1.5e6 * mmhg);
  EXPECT_DOUBLE_EQ(left.windkessel.capacitance, 0.2e-6 / mmhg);
  EXPECT_DOUBLE_EQ(left.windkessel.proximal, 2e8);
  EXPECT_DOUBLE_EQ(left.windkessel.initial, 80 * mmhg);
  EXPECT_FALSE(left.windkessel.middle);
  EXPECT_DOUBLE_EQ(left.value.at(3), 5 * mmhg);
  const auto& right = c.openings[2];
  EXPECT_EQ(right.kind, Kind::velocity);
  ASSERT_TRUE(right.is(Rule::share));
  EXPECT_EQ(right.value.at(0), 0.3);
  EXPECT_TRUE(c.openings[0].is(Rule::prescribed));

  const auto least =
      read(full_case, {"outlet.left.windkessel={resistance = 2e9}", "outlet.left.windkessel.pressure=400"});
  EXPECT_EQ(least.openings[1].windkessel.capacitance, 0);
  EXPECT_EQ(least.openings[1].windkessel.proximal, 0);
  EXPECT_TRUE(least.openings[1].windkessel.settles);
  EXPECT_GT(least.openings[1].windkessel.initial, 400);  // from the inflow
  const auto replaced = read(full_case, {"outlet.left.windkessel={resistance = 2e9}", "outlet.left.pressure=3"});
  EXPECT_TRUE(replaced.openings[1].is(Rule::prescribed));
  const auto beats = read(full_case, {"outlet.left.windkessel={resistance = 2e9}",
                                      "outlet.left.windkessel.pressure={mean = 5, amplitude = 2, period = 1}"});
  EXPECT_DOUBLE_EQ(beats.openings[1].value.highest(), 7);
  const auto table =
      read(full_case, {"outlet.left.windkessel={resistance = 2e9, pressure = [[0, 5], [0.5, 7]], period = 1}"});
  EXPECT_DOUBLE_EQ(table.openings[1].value.at(3.5), 7);
  EXPECT_THROW(read(full_case, {"outlet.left.windkessel={resistance = 2e9, period = 1}"}), InputError);
}

TEST(Waveform, a_file_is_relative_to_the_case) {
  const test::Scratch scratch;
  const auto file = scratch.write("vessel.toml", full_case);
  const auto read_with = [&](const std::string& text, std::vector<std::string> overrides = {}) {
    scratch.write("pulse.csv", text);
    overrides.emplace_back("inlet.parent.velocity=pulse.csv");
    return read_case(file, overrides).openings[0].value;
  };
  using Points = std::vector<std::array<double, 2>>;
  const auto plain = read_with("# of a patient\n0,0.1\n\n0.2 ; 0.3  # peak\r\n0.5, -1e-1\n");
  EXPECT_EQ(plain.points, (Points{{0, 0.1}, {0.2, 0.3}, {0.5, -0.1}}));
  EXPECT_EQ(plain.period, 0.8);  // that of the case
  EXPECT_EQ(read_with("time, velocity\n0,0.1\n").points, (Points{{0, 0.1}}));
  EXPECT_EQ(read_with("\"t [ms]\",v (cm/s)\n500,50\n").points, (Points{{0.5, 0.5}}));
  EXPECT_EQ(read_with("0 s,0\n250 ms,50 cm/s\n").points, (Points{{0, 0}, {0.25, 0.5}}));
  for (const std::string text :
       {"0,1\n0.5,3\n", "0 1\n0.5   3\n", "0\t1\n0.5\t3", " 0 1 # a\n\n0.5 3",
        "\xEF\xBB\xBF"
        "0,1\n0.5,3",
        "0,1\r0.5,3\r", "time [ms] v [cm/s]\n0 100\n500 300", "\xEF\xBB\xBF\"t\",\"v\"\n0,1\n0.5,3",
        "t\tv\n0\t1\n0.5\t3\n", "t (sec); v (mean) [m s^-1]\r\n0;1\r\n0.5;3\r\n", "\xD1\x82, \xD0\xB2\n0,1\n0.5,3\n"})
    EXPECT_EQ(read_with(text).points, (Points{{0, 1}, {0.5, 3}})) << text;
  for (const std::string text : {"t,v\ns,m/s\n0,1\n0.5,3\n", "t;v\nms;cm/s\n0;100\n500;300\n", "0;1;\n0.5;3;\n",
                                 "% of a patient\n0 1\n// peak\n0.5 3\n", "0.0D0 1.0D0\n5.0d-1 3\n"})
    EXPECT_EQ(read_with(text).points, (Points{{0, 1}, {0.5, 3}})) << text;
  EXPECT_EQ(read_with("0,1\n0.5,3\n", {"inlet.parent.unit=cm/s"}).points, (Points{{0, 0.01}, {0.5, 0.03}}));
  EXPECT_EQ(read_with("t,v [mm/s]\n0,1\n0.5 s,3\n", {"inlet.parent.unit=cm/s"}).points,
            (Points{{0, 1e-3}, {0.5, 3e-3}}));
  EXPECT_EQ(read_with("0,0.1\n1,3\n", {"inlet.parent.period=1.5"}).repeats_after(), 1.5);
}

TEST(Waveform, a_flow_file_of_simvascular_has_a_unit_and_a_sign) {
  const test::Scratch scratch;
  const auto file = scratch.write("vessel.toml", full_case);
  const auto read_with = [&](const std::string& text, std::vector<std::string> overrides) {
    scratch.write("in.flow", text);
    overrides.emplace_back("inlet.parent.flow=in.flow");
    return read_case(file, overrides).openings[0];
  };
  const std::vector<std::string> both = {"inlet.parent.unit=cc/s", "inlet.parent.sign=outward"};
  // With and without the numbers of rows and modes.
  for (const std::string text : {"0.0 -50.0\n0.25 -250\n0.5 -50\n", "3 2\n0.0 -50.0\n0.25 -250\n0.5 -50\n\n"}) {
    const auto inlet = read_with(text, both);
    ASSERT_EQ(inlet.value.points.size(), 3U) << text;
    EXPECT_DOUBLE_EQ(inlet.value.points[1][1] * inlet.area(), 250e-6);
    EXPECT_TRUE(inlet.has_sign);
  }
  EXPECT_FALSE(read_with("time [s] flow [mm^3/s]\n0 5\n", {}).has_sign);
  EXPECT_THAT(
      [&] { read_with("0 -50\n1 -50\n", {}); },
      ::testing::ThrowsMessage<InputError>(::testing::HasSubstr(
          "in.flow has no unit (SimVascular writes the unit of its model, in most cases cm^3/s). Set unit = ")));
  EXPECT_THROW(read_with("3 2\n0 1\n1 1\n", both), InputError);  // one row is missing
  EXPECT_THROW(read(full_case, {"inlet.parent.unit=cm/s"}), InputError);
  EXPECT_THROW(read(full_case, {"outlet.left.sign=inward"}), InputError);
  EXPECT_THROW(read(full_case, {"inlet.parent.sign=up"}), InputError);
}

TEST(Fluid, thins_with_the_shear_rate) {
  using Model = FluidCase::Model;
  EXPECT_TRUE(read(short_case).fluid.is_newtonian());
  const auto carreau = read(short_case, {"fluid.model=carreau-yasuda", "fluid.viscosity_at_rest=56 mPa s",
                                         "fluid.time=3.313 s", "fluid.exponent=0.3568", "fluid.yasuda=2"})
                           .fluid;
  ASSERT_EQ(carreau.model, Model::carreau_yasuda);
  EXPECT_DOUBLE_EQ(carreau.viscosity_at(0), 0.056);
  EXPECT_NEAR(carreau.viscosity_at(1e9), 0.0035, 1e-6);
  EXPECT_NEAR(carreau.viscosity_at(100), 0.0035 + 0.0525 * std::pow(1 + 331.3 * 331.3, -0.3216), 1e-12);
  const auto casson = read(short_case, {"fluid.model=casson", "fluid.yield_stress=0.01"}).fluid;
  EXPECT_NEAR(casson.viscosity_at(10) * 10, std::pow(0.1 + std::sqrt(0.035), 2), 1e-12);  // shear stress
  EXPECT_DOUBLE_EQ(casson.viscosity_at(0), 0.16);
  const auto power = read(short_case, {"fluid.model=power-law", "fluid.consistency=0.02", "fluid.exponent=0.7"}).fluid;
  EXPECT_NEAR(power.viscosity_at(10), 0.02 * std::pow(10, -0.3), 1e-12);
  EXPECT_DOUBLE_EQ(power.viscosity_at(1e9), 0.0035);
  // The lattice's viscosity at a shear rate in lattice units.
  const auto c = read(short_case, {"fluid.model=casson"});
  const auto scaling = make_scaling(c);
  const auto parameters = lattice_parameters(c, scaling);
  const double expected = c.fluid.viscosity_at(100) / c.fluid.density * scaling.dt / (scaling.dx * scaling.dx);
  EXPECT_NEAR(parameters.viscosity(100 * scaling.dt), expected, 1e-12);
}

}  // namespace
}  // namespace weft::flow
