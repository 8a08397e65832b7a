// SPDX-License-Identifier: BSD-3-Clause
//
// Every mistake in a case file gives one line with the location and the allowed values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/reading/case_reader.hpp"
#include "tests/support/scratch.hpp"
#include "weft/error.hpp"

namespace weft::flow {
namespace {

constexpr auto good_case = R"([surface]
file = "a.stl"
unit = "mm"
voxel = "0.1 mm"
[fluid]
viscosity = 0.0035
[lattice]
collision = "trt"
[[inlet]]
name = "in"
centre = [0, 0, 0]
normal = [0, 0, 1]
radius = 2.0
velocity = 0.3
[[outlet]]
name = "out"
centre = [0, 0, 9]
normal = [0, 0, -1]
radius = 2.0
pressure = 0
[run]
steps = 10
[monitor]
every = 1
[output]
directory = "x"
)";

/// The message for a case file, without the folder's name.
std::string message(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const test::Scratch scratch;
  const auto file = scratch.write("case.toml", text);
  try {
    read_case(file, overrides);
  } catch (const InputError& e) {
    std::string what = e.what();
    const auto folder = scratch.path().string() + "/";
    for (auto at = what.find(folder); at != std::string::npos; at = what.find(folder)) what.erase(at, folder.size());
    return what;
  }
  return "no error";
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

struct Mistake {
  std::string from, to, expected;
};

class BadCase : public ::testing::TestWithParam<Mistake> {};

TEST(BadCaseFile, the_good_case_is_good) { EXPECT_EQ(message(good_case), "no error"); }

TEST_P(BadCase, says_where_and_what_is_allowed) {
  EXPECT_EQ(message(replaced(good_case, GetParam().from, GetParam().to)), GetParam().expected);
}

const std::string lengths = "a number (m) or a text with a unit (m, cm, mm, um, nm)";

const std::vector<Mistake> mistakes = {
    // keys and sections
    {"viscosity", "visocsity",
     "case.toml:6: The key 'visocsity' is unknown in [fluid] (allowed: density, viscosity, model, viscosity_at_rest, "
     "time, exponent, yasuda, yield_stress, consistency). Did you mean 'viscosity'?"},
    {"viscosity", "colour",
     "case.toml:6: The key 'colour' is unknown in [fluid] (allowed: density, viscosity, model, viscosity_at_rest, "
     "time, exponent, yasuda, yield_stress, consistency). Remove it, or correct it."},
    {"velocity = 0.3", "velocity = 0.3\nprofile = 'womersley'",
     "case.toml:15: profile in [[inlet]] is womersley, but velocity in [[inlet]] is not a velocity or flow with a "
     "period. Give it a period, or remove the profile."},
    {"viscosity = 0.0035", "model = 'cason'",
     "case.toml:6: model in [fluid] is 'cason' (allowed: newtonian, carreau-yasuda, casson, power-law). Did you mean "
     "'casson'?"},
    {"viscosity = 0.0035", "yield_stress = 0.1",
     "case.toml:6: The key 'yield_stress' is unknown in [fluid] (allowed: density, viscosity, model). Remove it, or "
     "correct it."},
    {"viscosity = 0.0035", "model = 'casson'\nviscosity_at_rest = 1e-3",
     "case.toml:7: viscosity_at_rest in [fluid] of model casson is 0.001 Pa s, below viscosity, 0.0035 Pa s. Give a "
     "viscosity at rest that is not below viscosity."},
    {"viscosity = 0.0035", "model = 'power-law'\nexponent = 3",
     "case.toml:7: exponent in [fluid] of model power-law is 3. Give a number above 0 and at most 2."},
    {"[fluid]", "[fluids]",
     "case.toml:5: The key 'fluids' is unknown at the top level (allowed: title, surface, fluid, lattice, inlet, "
     "outlet, run, monitor, output, checkpoint, pictures, extract, section, average, tune, compartment, connection). "
     "Did you mean 'fluid'?"},
    {"[output]\n", "[pictures]\nevery = 2\n[output]\n",
     "case.toml:26: every in [pictures] is 2 steps. Give at least 4."},
    {"[output]\n", "[pictures]\nmap = \"jet\"\n[output]\n",
     "case.toml:26: map in [pictures] is 'jet' (allowed: viridis, diverging). Give one of these."},
    {"[output]\n", "[pictures]\nopacity = 3\n[output]\n",
     "case.toml:26: opacity in [pictures] is 3. Give a number from 0 to 1."},
    {"[output]\n", "[pictures]\nplane = [0, 0, 0]\n[output]\n",
     "case.toml:26: plane in [pictures] has no length. Give a normal, for example [0, 1, 0]."},
    {"[output]\n", "[pictures]\nwidth = 5000\n[output]\n",
     "case.toml:26: width in [pictures] is 5000. Give at most 4096."},
    {"[output]\n", "[pictures]\nelevation = 100\n[output]\n",
     "case.toml:26: elevation in [pictures] is 100. Give a number from -90 to 90."},
    {"[output]\n", "[pictures]\ncompositing = \"x\"\n[output]\n",
     "case.toml:26: compositing in [pictures] is 'x' (allowed: binary_swap, direct_send). Give one of these."},
    {"[output]\n", "[pictures]\nlow = 5\nhigh = 3\n[output]\n",
     "case.toml:27: high in [pictures] is not above low. Give a larger number."},
    {"voxel = \"0.1 mm\"\n", "", "case.toml:1: The key 'voxel' is missing in [surface] (it has no default). Add it."},
    {"unit = \"mm\"\n", "", "case.toml:1: The key 'unit' is missing in [surface] (it has no default). Add it."},
    {"[run]\nsteps = 10\n", "", "case.toml:1: Section [run] is missing. Add it."},
    {"[fluid]\nviscosity = 0.0035\n", "", "no error"},
    {"[[outlet]]", "[outlet]", "case.toml:15: outlet is a section. Write [[outlet]], once for each."},
    {"[run]\nsteps = 10", "[[run]]\nsteps = 10",
     "case.toml:21: There is a list in place of a section in [run]. Give a section."},
    // types
    {"voxel = \"0.1 mm\"", "voxel = true", "case.toml:4: voxel in [surface] is true or false. Give " + lengths + "."},
    {"voxel = \"0.1 mm\"", "voxel = 2020-01-01",
     "case.toml:4: voxel in [surface] is a date or time. Give " + lengths + "."},
    {"file = \"a.stl\"", "file = 3", "case.toml:2: file in [surface] is a whole number. Give a text in quotes."},
    {"file = \"a.stl\"", "file = \"\"", "case.toml:2: file in [surface] is empty. Give a text."},
    {"steps = 10", "steps = 10.5", "case.toml:22: steps in [run] is a number. Give a whole number."},
    {"every = 1\n", "every = \"1\"\n", "case.toml:24: every in [monitor] is a text. Give a whole number."},
    {"directory = \"x\"", "pictures = 1", "case.toml:26: pictures in [output] is a whole number. Give true or false."},
    {"centre = [0, 0, 0]", "centre = [0, 0]",
     "case.toml:11: centre in [[inlet]] is a list. Give a list of three numbers."},
    {"centre = [0, 0, 0]", "centre = [0, \"1\", 0]",
     "case.toml:11: centre in [[inlet]] contains a text. Give a list of three numbers."},
    // ranges and units
    {"voxel = \"0.1 mm\"", "voxel = \"0.1 ms\"",
     "case.toml:4: voxel in [surface]: '0.1 ms' is not a length (unknown unit 'ms'). Give a number and one of the "
     "units m, cm, mm, um, nm."},
    {"voxel = \"0.1 mm\"", "voxel = \"-0.1 mm\"", "case.toml:4: voxel in [surface] is -0.0001. Give a number above 0."},
    {"voxel = \"0.1 mm\"", "voxel = 0", "case.toml:4: voxel in [surface] is 0. Give a number above 0."},
    {"voxel = \"0.1 mm\"", "voxel = nan", "case.toml:4: voxel in [surface] is not finite. Give a number."},
    {"viscosity = 0.0035", "density = -1", "case.toml:6: density in [fluid] is -1. Give a number above 0."},
    {"unit = \"mm\"", "unit = \"inch\"",
     "case.toml:3: unit in [surface] is 'inch' (allowed: m, cm, mm, um). Give one of these."},
    {"unit = \"mm\"", "unit = -1", "case.toml:3: unit in [surface] is -1. Give a number above 0."},
    {"collision = \"trt\"", "collision = \"trtt\"",
     "case.toml:8: collision in [lattice] is 'trtt' (allowed: bgk, trt, mrt, regularised, cumulant). Did you mean "
     "'trt'?"},
    {"radius = 2.0", "radius = 0", "case.toml:13: radius in [[inlet]] is 0. Give a number above 0."},
    {"normal = [0, 0, 1]", "normal = [0, 0, 0]",
     "case.toml:12: normal in [[inlet]] has no length. Give the direction into the fluid."},
    {"normal = [0, 0, 1]", "normal = [0, 0, inf]", "case.toml:12: normal in [[inlet]] is not finite. Give a number."},
    {"normal = [0, 0, 1]", "normal = [0, 0, 1e200]",
     "case.toml:12: normal in [[inlet]] has a length of 1e+200 (allowed: 1e-15 to 1e+15). Give the direction into the "
     "fluid."},
    {"normal = [0, 0, 1]", "normal = [0, 0, 1e-200]",
     "case.toml:12: normal in [[inlet]] has a length of 1e-200 (allowed: 1e-15 to 1e+15). Give the direction into the "
     "fluid."},
    {"radius = 2.0", "radius = 1e-323",
     "case.toml:13: radius in [[inlet]] is 1e-323 in units of 0.001 (too large or too small). Give another number or "
     "unit."},
    {"velocity = 0.3", "flow = 0.3\nperiod = 1e-300",
     "case.toml:15: period in [[inlet]] is 1e-300 s. Give at least 1e-09 s."},
    {"radius = 2.0\nvelocity = 0.3", "radius = 1e-160\nflow = 0.3",
     "case.toml:14: flow in [[inlet]] over the opening's disc is not finite. Correct it, or the radius."},
    {"viscosity = 0.0035", "viscosity = 1e-200\ndensity = 1e200",
     "case.toml:5: viscosity / density in [fluid] is 0 m^2/s (it must be positive and finite). Correct one of them."},
    {"[output]\n", "[pictures]\nhigh = 1e40\n[output]\n",
     "case.toml:26: high in [pictures] is 1e+40. Give a number from -1e+30 to 1e+30."},
    {"steps = 10", "steps = 0", "case.toml:22: steps in [run] is 0. Give a whole number of at least 1."},
    {"steps = 10", "steps = 9223372036854775807",
     "case.toml:22: steps in [run] is 9223372036854775807. Give a whole number of at most 1000000000000000."},
    {"steps = 10", "duration = \"0 s\"", "case.toml:22: duration in [run] is 0. Give a number above 0."},
    {"every = 1\n", "tolerance = -1e-6\n",
     "case.toml:24: tolerance in [monitor] is -1e-06. Give a number that is not negative."},
    // one of several
    {"steps = 10", "", "case.toml:21: None of duration, steps is given in [run]. Give exactly one."},
    {"steps = 10", "duration = 1\nsteps = 10",
     "case.toml:23: duration and steps are given together in [run]. Give exactly one of duration, steps."},
    {"velocity = 0.3\n", "",
     "case.toml:9: None of velocity, flow, pressure, compartment is given in [[inlet]]. Give exactly one."},
    {"velocity = 0.3\n", "velocity = 0.3\npressure = 1\n",
     "case.toml:15: velocity and pressure are given together in [[inlet]]. Give exactly one of velocity, flow, "
     "pressure, compartment."},
    // tables
    {"velocity = 0.3", "velocity = [[0, 1], [2, 1], [1, 1]]",
     "case.toml:14: velocity in [[inlet]] has a time of 1 s after one of 2 s. Sort the rows by time, each time once."},
    {"velocity = 0.3", "velocity = [[0, 1], [0, 1]]",
     "case.toml:14: velocity in [[inlet]] has a time of 0 s after one of 0 s. Sort the rows by time, each time once."},
    {"velocity = 0.3", "velocity = [0, 1]",
     "case.toml:14: velocity in [[inlet]] has a row that is not [time, value]. Give two entries per row."},
    {"velocity = 0.3", "velocity = []",
     "case.toml:14: velocity in [[inlet]] is an empty list. Give [[time, value], ...]."},
    {"velocity = 0.3", "velocity = [[0, 1], [1, \"2 mm\"]]",
     "case.toml:14: a value of velocity in [[inlet]]: '2 mm' is not a velocity (unknown unit 'mm'). Give a number and "
     "one of the units m/s, cm/s, mm/s, um/s."},
    {"velocity = 0.3", "velocity = [[-1, 1], [1, 1]]",
     "case.toml:14: a time of velocity in [[inlet]] is -1. Give a number that is not negative."},
    {"velocity = 0.3", "velocity = [[0, 1], [1, 2]]\nperiod = 0.5",
     "case.toml:14: velocity in [[inlet]] has a time of 1 s, beyond its period of 0.5 s. Correct the time or the "
     "period."},
    {"velocity = 0.3", "velocity = 0.3\nperiod = 1",
     "case.toml:15: A period is given, but velocity in [[inlet]] is not a table. Remove the period."},
    // cosines
    {"velocity = 0.3", "velocity = {mean = 0.2, amplitude = 0.1}",
     "case.toml:14: The key 'period' is missing in velocity in [[inlet]] (it has no default). Add it."},
    {"velocity = 0.3", "velocity = {mean = 0.2, amplitude = 0.1, period = 0}",
     "case.toml:14: period in velocity in [[inlet]] is 0. Give a number above 0."},
    {"velocity = 0.3", "velocity = {mean = 0.2, amplitude = \"1 m\", period = 1}",
     "case.toml:14: amplitude in velocity in [[inlet]]: '1 m' is not a velocity (unknown unit 'm'). Give a number and "
     "one of the units m/s, cm/s, mm/s, um/s."},
    {"velocity = 0.3", "velocity = {mean = 0.2, amplitud = 0.1, period = 1}",
     "case.toml:14: The key 'amplitud' is unknown in velocity in [[inlet]] (allowed: mean, amplitude, period, phase). "
     "Did you mean 'amplitude'?"},
    {"velocity = 0.3", "velocity = {mean = 0.2, amplitude = 0.1, period = 1}\nperiod = 2",
     "case.toml:15: A period is given, but velocity in [[inlet]] is not a table. Remove the period."},
    // outlets that depend on the flow
    {"pressure = 0\n", "windkessel = 3\n",
     "case.toml:20: windkessel in [[outlet]] is a whole number. Give {resistance = ..., capacitance = ..., proximal = "
     "..., pressure = ..., initial = ...}, of which only the resistance is required, or \"tuned\" with a [tune]."},
    {"pressure = 0\n", "windkessel = {capacitance = 1e-10}\n",
     "case.toml:20: The key 'resistance' is missing in windkessel in [[outlet]] (it has no default). Add it."},
    {"pressure = 0\n", "windkessel = {resistance = 0}\n",
     "case.toml:20: resistance in windkessel in [[outlet]] is 0. Give a number above 0."},
    {"pressure = 0\n", "windkessel = {resistance = 1, capacitance = -1}\n",
     "case.toml:20: capacitance in windkessel in [[outlet]] is -1. Give a number that is not negative."},
    {"pressure = 0\n", "windkessel = {resistance = \"1 Pa s\"}\n",
     "case.toml:20: resistance in windkessel in [[outlet]]: '1 Pa s' is not a resistance (unknown unit 'Pa s'). Give a "
     "number and one of the units Pa s/m^3, Pa s/ml, mmHg s/ml, dyn s/cm^5."},
    {"pressure = 0\n", "windkessel = {resistance = 1, capacitance = \"1 ml\"}\n",
     "case.toml:20: capacitance in windkessel in [[outlet]]: '1 ml' is not a capacitance (unknown unit 'ml'). Give a "
     "number and one of the units m^3/Pa, ml/Pa, ml/mmHg, cm^5/dyn."},
    {"pressure = 0\n", "windkessel = {resistence = 1}\n",
     "case.toml:20: The key 'resistence' is unknown in windkessel in [[outlet]] (allowed: resistance, capacitance, "
     "proximal, pressure, period, unit, initial). Did you mean 'resistance'?"},
    {"pressure = 0\n", "windkessel = {resistance = 1}\nperiod = 1\n",
     "case.toml:21: A period is given, but windkessel in [[outlet]] is not a table. Remove the period."},
    {"pressure = 0\n", "pressure = 0\nwindkessel = {resistance = 1}\n",
     "case.toml:21: pressure and windkessel are given together in [[outlet]]. Give exactly one of velocity, flow, "
     "pressure, windkessel, share, compartment."},
    {"velocity = 0.3", "windkessel = {resistance = 1}",
     "case.toml:14: windkessel is given in [[inlet]] (only an outlet can have it). Give velocity, flow or pressure."},
    {"velocity = 0.3", "share = 0.3",
     "case.toml:14: share is given in [[inlet]] (only an outlet can have it). Give velocity, flow or pressure."},
    {"pressure = 0\n", "share = 1.5\n", "case.toml:20: share in [[outlet]] is 1.5. Give a number above 0 and below 1."},
    {"pressure = 0\n", "share = 0\n", "case.toml:20: share in [[outlet]] is 0. Give a number above 0 and below 1."},
    {"pressure = 0\n", "share = \"30 %\"\n", "case.toml:20: share in [[outlet]] is a text. Give a number."},
    {"pressure = 0\n", "share = 0.5\n",
     "case.toml:20: No outlet has a pressure (the shares add up to 0.5; if only flows are prescribed, nothing fixes "
     "the fluid's pressure). Give one outlet a pressure or a windkessel: it takes the rest of the flow."},
    // names
    {"name = \"out\"", "name = \"in\"",
     "case.toml:15: Two openings are called 'in' (the other one: case.toml:9). Give each its own name."},
    {"name = \"in\"", "name = \"in flow\"",
     "case.toml:10: name in [[inlet]] is 'in flow' (it names columns of a table). Use letters, digits, _ and - only."},
};

INSTANTIATE_TEST_SUITE_P(Mistakes, BadCase, ::testing::ValuesIn(mistakes));

// The message for a waveform file, without the folder's name.
std::string message_of_csv(const std::string& csv, const std::string& more = "") {
  const test::Scratch scratch;
  scratch.write("pulse.csv", csv);
  const auto file =
      scratch.write("case.toml", replaced(good_case, "velocity = 0.3", "velocity = \"pulse.csv\"" + more));
  try {
    read_case(file);
  } catch (const InputError& e) {
    std::string what = e.what();
    const auto folder = scratch.path().string() + "/";
    for (auto at = what.find(folder); at != std::string::npos; at = what.find(folder)) what.erase(at, folder.size());
    return what;
  }
  return "no error";
}

TEST(BadCaseFile, a_waveforms_file_is_named_with_its_line) {
  const std::string give = " Give a time and a velocity in each line, for example 0.1, 2.5.";
  EXPECT_EQ(
      message(replaced(good_case, "velocity = 0.3", "velocity = \"nowhere.csv\"")),
      "case.toml:14: velocity in [[inlet]]: nowhere.csv: This file can't be read (No such file or directory). Give "
      "a file of times and values, relative to the case file.");
  EXPECT_EQ(message_of_csv("0,1\n1,2\n"), "no error");
  EXPECT_EQ(message_of_csv("# nothing\n"), "case.toml:14: velocity in [[inlet]]: pulse.csv has no row." + give);
  EXPECT_EQ(message_of_csv("t, v\n"), "case.toml:14: velocity in [[inlet]]: pulse.csv has no row." + give);
  for (const std::string row : {"0 1,5", "0,1 2,5"})
    EXPECT_THAT(message_of_csv(row + "\n"), ::testing::HasSubstr("pulse.csv:1: '" + row)) << row;
  EXPECT_THAT(message_of_csv("0 1,5\n"), ::testing::HasSubstr("(it has a decimal comma; use a point)"));
  EXPECT_EQ(message_of_csv("time_ms,v\n0,1\n"),
            "pulse.csv:1: The column 'time_ms' seems to be in ms (a unit is read only in brackets). Write [ms].");
  EXPECT_THAT(message_of_csv("t,mean cm/s\n0,1\n"), ::testing::HasSubstr("Write [cm/s]."));
  EXPECT_EQ(message_of_csv("time_s,v_m_s\n0,1\n"), "no error");
  EXPECT_EQ(message_of_csv("0,1\n1\n"),
            "pulse.csv:2: '1' is not a row of velocity in [[inlet]] (it does not have two cells, a time and a value, "
            "separated by "
            "a comma, a tab or a blank)." +
                give);
  EXPECT_EQ(message_of_csv("0,1\n1,2,3\n"),
            "pulse.csv:2: '1,2,3' is not a row of velocity in [[inlet]] (it does not have two cells, a time and a "
            "value, separated "
            "by a comma, a tab or a blank)." +
                give);
  EXPECT_EQ(
      message_of_csv("0;1\n0,1;2,5\n"),
      "pulse.csv:2: '0,1;2,5' is not a row of velocity in [[inlet]] (it has a decimal comma; use a point)." + give);
  // A header has letters in each cell, before any digit.
  for (const std::string first : {"t, 1", "0, v", "nan, nan", "t, inf", "1st, 2nd", "0.1, v",
                                  "\xC2\xA0"
                                  "0, \xC2\xA0"
                                  "1",
                                  ", v"})
    EXPECT_THAT(message_of_csv(first + "\n1,2\n"), ::testing::HasSubstr("pulse.csv:1: '")) << first;
  EXPECT_THAT(message_of_csv("0,1\nt,v\n1,2\n"), ::testing::HasSubstr("pulse.csv:2: 't' is not a time"));
  EXPECT_THAT(message_of_csv(std::string("\xFF\xFE\x30\0,\0\x31\0", 8)),
              ::testing::HasSubstr("pulse.csv: This text is UTF-16"));
  EXPECT_EQ(message_of_csv("-1,1\n"),
            "pulse.csv:1: '-1,1' is not a row of velocity in [[inlet]] (its time is negative)." + give);
  EXPECT_EQ(
      message_of_csv("0,1\n\n0,2\n"),
      "pulse.csv:3: velocity in [[inlet]] has a time of 0 s after one of 0 s. Sort the rows by time, each time once.");
  EXPECT_EQ(message_of_csv("0,1\n2,2\n", "\nperiod = 1"),
            "pulse.csv:2: velocity in [[inlet]] has a time of 2 s, beyond its period of 1 s. Correct the time or the "
            "period.");
  EXPECT_EQ(message_of_csv("t [ms], v [mm]\n0,1\n"),
            "pulse.csv:1: '1 mm' is not a velocity (unknown unit 'mm'). Give a number and one of the units m/s, cm/s, "
            "mm/s, um/s.");
  EXPECT_EQ(
      message_of_csv("0,1\n", "\nunit = \"mm\""),
      "case.toml:15: unit in [[inlet]]: '1 mm' is not a velocity (unknown unit 'mm'). Give a number and one of the "
      "units m/s, cm/s, mm/s, um/s.");
  EXPECT_EQ(message_of_csv("t, v\n0,fast\n"),
            "pulse.csv:2: 'fast' is not a velocity (it does not begin with a number). Give a number and one of the "
            "units m/s, cm/s, "
            "mm/s, um/s.");
}

TEST(BadCaseFile, syntax_errors_have_a_line) {
  const auto text = message("[surface]\nfile = \n");
  EXPECT_TRUE(text.starts_with("case.toml:2: ")) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

// Input that would crash toml++.
TEST(BadCaseFile, nested_deeper_than_the_stack_holds) {
  const std::string deep = " nested more than 32 deep (no key needs that). Nest them less.";
  std::string key = "a";
  for (int i = 0; i < 200000; ++i) key += ".a";
  EXPECT_EQ(message("\n" + key + " = 1\n"), "case.toml:2: Lists or sections are" + deep);
  EXPECT_EQ(message("title = " + std::string(200000, '[')), "case.toml:1: Lists or sections are" + deep);
  // Input that only looks like it.
  const std::string dots(100, '.'), brackets(100, '[');
  std::string lists;
  for (int i = 0; i < 100; ++i) lists += "[{a.b.c=[[1.5],[2.5]]},\n'a', 1979-05-27 07:32:00],";
  EXPECT_THAT(message("title = [" + lists + "]\n" + good_case), testing::HasSubstr("title at the top level is a list"));
  for (const auto* quotes : {"'", "\"", "'''", "\"\"\""})
    EXPECT_EQ(message("title = " + (quotes + dots) + brackets + quotes + "  # " + dots + brackets + "\n" + good_case),
              "no error");
  EXPECT_EQ(message("title = \"\"\"a\"\"\"\"\"\n" + std::string(good_case), {"title=" + brackets}), "no error");
}

TEST(BadCaseFile, letters_beyond_ascii_belong_in_quotes) {
  EXPECT_EQ(message("title = \u02ca\n"),
            "case.toml:1: A letter that is not ASCII is outside of quotes. Put the text in quotes.");
  for (const auto* text : {"1'\u02ca'", "1=\"\u02ca\"", "[1['\u02ca']]", "{a=1{b='\u02ca'}}", "'a''b'"})
    EXPECT_EQ(message(std::string("title = ") + text),
              "case.toml:1: Another value begins inside a value. Separate them by a comma or a new line.");
  EXPECT_EQ(message("title = \"\"\"a\\\n \u02ca\"\"\"\n"),
            "case.toml:1: A letter that is not ASCII follows a backslash in this text. Write the text on one line.");
  EXPECT_EQ(message("\xEF\xBB\xBFtitle = '\u02ca'  # \u02ca\n" + std::string(good_case), {"title=\u02ca"}), "no error");
}

TEST(BadCaseFile, what_a_file_holds_stays_on_one_line) {
  const auto text = message(replaced(good_case, "\"trt\"", "\"a\\nb\\u0001\\u001bc" + std::string(100000, 'x') + "\""));
  EXPECT_TRUE(text.starts_with("case.toml:8: collision in [lattice] is 'a?b??cxxx")) << text;
  EXPECT_TRUE(text.ends_with("xxx...' (allowed: bgk, trt, mrt, regularised, cumulant). Give one of these.")) << text;
  EXPECT_LT(text.size(), 200U);
  EXPECT_EQ(message(replaced(good_case, "\"trt\"", "\"trt\\u0000\"")),
            "case.toml:8: collision in [lattice] contains the character NUL. Remove it.");
}

TEST(BadCaseFile, without_openings) {
  EXPECT_EQ(message("[surface]\nfile = \"a\"\nunit = 1\nvoxel = 1\n[run]\nsteps = 1\n"),
            "case.toml:1: There is neither an [[inlet]] nor an [[outlet]] (nothing would flow). Add one.");
}

TEST(BadCaseFile, missing) {
  const auto expect = [](const std::filesystem::path& file, const std::string& expected) {
    try {
      read_case(file);
      ADD_FAILURE() << "no error";
    } catch (const InputError& e) {
      EXPECT_EQ(std::string(e.what()), expected);
    }
  };
  expect("/nowhere/case.toml",
         "/nowhere/case.toml: This file can't be read (No such file or directory). Give the path of a case file.");
  expect("/tmp", "/tmp: This file can't be read (Is a directory). Give the path of a case file.");
}

TEST(BadCaseFile, shares_leave_some) {
  const auto with = [](const std::string& first, const std::string& second) {
    const auto outlet = "[[outlet]]\ncentre = [0, 1, 9]\nnormal = [0, 0, -1]\nradius = 2.0\nshare = ";
    return message(replaced(good_case, "[run]\n", outlet + first + "\n" + outlet + second + "\n[run]\n"));
  };
  EXPECT_EQ(with("0.4", "0.3"), "no error");
  EXPECT_EQ(with("0.4", "0.6"),
            "case.toml:30: The shares add up to 1 (nothing is left for 'out', but some mass must be free to leave "
            "through an opening with a pressure). Give shares that add up to less than 1.");
  EXPECT_EQ(with("0.9", "0.25"),
            "case.toml:30: The shares add up to 1.15 (nothing is left for 'out', but some mass must be free to leave "
            "through an opening with a pressure). Give shares that add up to less than 1.");
  EXPECT_EQ(
      message("[surface]\nfile = \"a\"\nunit = 1\nvoxel = 1\n[run]\nsteps = 1\n[[outlet]]\ncentre = [0, 0, 0]\n"
              "normal = [0, 0, 1]\nradius = 1\nshare = 0.5\n"),
      "case.toml:11: A share is given, but there is no [[inlet]] (a share is a fraction of the inflow). Add one.");
}

TEST(BadCaseFile, overrides_name_themselves) {
  const auto with = [](const std::string& text) { return message(good_case, {text}); };
  EXPECT_EQ(with("run.stps=5"),
            "--set run.stps=5: The key 'stps' is unknown in [run] (allowed: duration, steps, ramp, until, tolerance). "
            "Did you mean 'steps'?");
  EXPECT_EQ(with("run.steps=five"), "--set run.steps=five: steps in [run] is a text. Give a whole number.");
  EXPECT_EQ(with("run.steps"), "--set run.steps: There is no '='. Give key=value, for example run.steps=100.");
  EXPECT_EQ(with("run..steps=3"),
            "--set run..steps=3: The key is empty or has an empty part. Give key=value, for example run.steps=100.");
  EXPECT_EQ(with("outlet.on.pressure=3"),
            "--set outlet.on.pressure=3: There is no outlet 'on' (there are: out). Give one of these.");
  EXPECT_EQ(with("outlet.outt.pressure=3"),
            "--set outlet.outt.pressure=3: There is no outlet 'outt' (there are: out). Did you mean 'out'?");
  EXPECT_EQ(with("outlet.1.pressure=3"),
            "--set outlet.1.pressure=3: There is no outlet '1' (there are: out). Give one of these.");
  EXPECT_EQ(with("outlet.pressure=3"),
            "--set outlet.pressure=3: outlet is a list, not a section. Give a key like run.steps or, in a list, "
            "outlet.NAME.pressure.");
  EXPECT_EQ(with("fluid.viscosity=3 m"),
            "--set fluid.viscosity=3 m: viscosity in [fluid]: '3 m' is not a viscosity (unknown unit 'm'). Give a "
            "number and one of the units Pa s, mPa s, uPa s, P, cP.");
  EXPECT_EQ(with("inlet.in.flow=1 ml/s"), "no error");
}

}  // namespace
}  // namespace weft::flow
