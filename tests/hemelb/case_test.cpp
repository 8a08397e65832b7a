// SPDX-License-Identifier: BSD-3-Clause
//
// HemeLB's XML, good and bad, and the weft case that is written from it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "flow/case.hpp"
#include "hemelb/case.hpp"
#include "hemelb/condition.hpp"
#include "hemelb/import.hpp"
#include "tests/support/gmy_writer.hpp"
#include "tests/support/scratch.hpp"
#include "weft/error.hpp"

namespace weft::hemelb {
namespace {

using ::testing::AllOf, ::testing::HasSubstr;

std::string pressure(const std::string& mean, const std::string& amplitude = "0") {
  return "<condition type=\"pressure\" subtype=\"cosine\"><amplitude units=\"mmHg\" value=\"" + amplitude +
         "\"/>"
         "<mean units=\"mmHg\" value=\"" +
         mean + "\"/><phase units=\"rad\" value=\"0.5\"/><period units=\"s\" value=\"2\"/></condition>";
}

struct Xml {
  std::string version = "5", step = "<step_length units=\"s\" value=\"1e-4\"/>", steps = "100",
              inlet = pressure("2", "0.5"), outlet = pressure("0"), more = {},
              position = "<position units=\"m\" value=\"(0.111, 0.2075, 0.30125)\"/>";

  std::string text() const {
    return "<?xml version=\"1.0\"?>\n<hemelbsettings version=\"" + version + "\">\n<simulation>" + step +
           "<steps units=\"lattice\" value=\"" + steps +
           "\"/>\n<voxel_size units=\"m\" value=\"0.001\"/>"
           "<origin units=\"m\" value=\"(0.1,0.2,0.3)\"/></simulation>\n<geometry><datafile "
           "path=\"duct.gmy\"/></geometry>\n"
           "<inlets><inlet>" +
           inlet + "<normal units=\"dimensionless\" value=\"(0,0,2)\"/>" + position +
           "</inlet></inlets>\n"
           "<outlets><outlet>" +
           outlet +
           "<normal units=\"dimensionless\" value=\"(0,0,-1)\"/>"
           "<position units=\"lattice\" value=\"(11,7.5,28.75)\"/></outlet></outlets>\n" +
           more + "</hemelbsettings>\n";
  }
};

class HemelbCases : public ::testing::Test {
 protected:
  HemelbCase read(const Xml& xml) { return read_case(scratch_.write("case.xml", xml.text())); }
  std::string refusal(const std::string& text) {
    try {
      read_case(scratch_.write("case.xml", text));
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  }
  std::string refusal(const Xml& xml) { return refusal(xml.text()); }
  flow::Case imported(const Xml& xml) {
    scratch_.write("duct.gmy", test::Duct{}.text());
    auto c = read(xml);
    fill_in_radii(c);
    return flow::read_case(scratch_.write("case.toml", case_text(c, {.file = "duct.gmy"})));
  }

  const weft::test::Scratch scratch_;
};

TEST_F(HemelbCases, all_three_versions_become_cases_of_weft_flow) {
  for (const auto* version : {"3", "4", "5"}) {
    const auto c = imported({.version = version});
    EXPECT_TRUE(c.surface.is_gmy());
    EXPECT_EQ(c.surface.voxel, 0.001);
    EXPECT_EQ(*c.surface.origin, (geometry::Vector{0.1, 0.2, 0.3}));
    EXPECT_EQ(*c.lattice.time_step, 1e-4);
    EXPECT_EQ(*c.run.steps, 100);
    EXPECT_EQ(c.fluid.density, blood_density);
    EXPECT_EQ(c.fluid.viscosity, blood_viscosity);
    ASSERT_EQ(c.openings.size(), 2U);
    EXPECT_EQ(c.openings[0].disc.normal, (geometry::Vector{0, 0, 1}));
    EXPECT_NEAR(c.openings[0].disc.radius, 0.001 * std::hypot(9, 4.5), 1e-6);
    EXPECT_NEAR(c.openings[1].disc.centre[2], 0.3 + 0.001 * 28.75, 1e-12);
    EXPECT_EQ(c.openings[1].value.at(3), 0);
  }
}

TEST_F(HemelbCases, a_cosine_becomes_a_table_that_repeats) {
  const auto value = imported({}).openings[0].value;
  EXPECT_EQ(value.period, 2);
  for (const double t : {0.0, 0.3, 1.1, 1.9, 2.7}) {
    const double right = pascals_a_mmhg * (2 + 0.5 * std::cos(0.5 + std::numbers::pi * t));
    EXPECT_NEAR(value.at(t), right, 3.1e-4 * 0.5 * pascals_a_mmhg) << t;
  }
}

TEST_F(HemelbCases, velocities_become_means_over_the_disc) {
  const auto parabola =
      imported({.inlet = "<condition type=\"velocity\" subtype=\"parabolic\"><radius units=\"lattice\" value=\"9\"/>"
                         "<maximum units=\"lattice\" value=\"0.1\"/></condition>"});
  EXPECT_EQ(parabola.openings[0].kind, lattice::OpeningState::Kind::velocity);
  EXPECT_NEAR(parabola.openings[0].value.at(0), 0.05 * 0.001 / 1e-4, 1e-12);
  EXPECT_NEAR(parabola.openings[0].disc.radius, 0.009, 1e-12);
  scratch_.write("speed.txt", "# s, m/s\n0 0\n1 0.2\n2.5  0.1\n");
  const auto file =
      imported({.inlet = "<condition type=\"velocity\" subtype=\"file\"><radius units=\"m\" value=\"0.009\"/>"
                         "<path value=\"speed.txt\"/></condition>"});
  EXPECT_NEAR(file.openings[0].value.at(0.5), 0.05, 1e-12);
}

TEST_F(HemelbCases, a_womersley_flow_keeps_its_mean) {
  // Slow: Poiseuille, in phase with the gradient, A R^2 / (8 nu), alpha^2 = R^2 w / nu. Fast: inviscid, A / w, a
  // quarter later.
  constexpr double period = 1000, w = 2 * std::numbers::pi / period;
  const auto slow = womersley_means(1e-5, period, 0.1, 4), fast = womersley_means(1e-5, period, 50, 4);
  EXPECT_NEAR(slow[0] / (1e-5 * 0.01 / (8 * w)), 1, 1e-3);
  EXPECT_NEAR(fast[1] / (1e-5 / w), 1, 0.05);
  const auto c = imported(
      {.inlet =
           "<condition type=\"velocity\" subtype=\"womersley\"><radius units=\"lattice\" value=\"9\"/>"
           "<pressure_gradient_amplitude units=\"lattice\" value=\"1e-5\"/><period units=\"lattice\" value=\"1000\"/>"
           "<womersley_number units=\"dimensionless\" value=\"3\"/></condition>"});
  EXPECT_NEAR(c.openings[0].value.period, 0.1, 1e-12);
}

TEST_F(HemelbCases, an_stl_in_another_unit_has_its_openings_in_that_unit) {
  auto c = read({});
  for (auto& opening : c.openings) opening.disc.radius = 0.009;
  const auto text = case_text(c, {.file = "duct.stl", .is_gmy = false, .unit = "0.0005", .metres_per_unit = 0.0005});
  const auto again = flow::read_case(scratch_.write("stl.toml", text));
  EXPECT_NEAR(again.openings[0].disc.centre[1], 0.2075, 1e-12);
  EXPECT_NEAR(again.openings[0].disc.radius, 0.009, 1e-12);
  EXPECT_NEAR((*again.surface.origin)[2], 0.3, 1e-12);
  EXPECT_EQ(again.surface.metres_per_unit, 0.0005);
}

TEST_F(HemelbCases, what_can_not_be_carried_over_is_told_with_its_line) {
  const auto c =
      read({.outlet = "<condition type=\"windkessel\" subtype=\"GKmodel\"><R units=\"x\" value=\"1\"/></condition>",
            .more = "<visualisation/>\n<properties><propertyoutput file=\"a\" period=\"10\"><geometry "
                    "type=\"inlet\"/><field type=\"velocity\"/></propertyoutput>"
                    "<propertyoutput file=\"b\" period=\"20\"><geometry type=\"whole\"/><field "
                    "type=\"velocity\"/></propertyoutput>"
                    "<checkpoint file=\"c\" period=\"50\"/></properties>\n<novelty/>\n"});
  std::vector<std::string> keys;
  for (const auto& entry : c.not_carried) keys.push_back(entry.key);
  EXPECT_THAT(keys,
              ::testing::UnorderedElementsAre("what HemeLB was compiled with", "outlets/outlet/condition (line 7)",
                                              "outlets/outlet/condition/R (line 7)", "visualisation (line 8)",
                                              "properties/propertyoutput (line 9)", "novelty (line 10)"));
  EXPECT_EQ(*c.output_every, 20);
  EXPECT_EQ(*c.checkpoint_every, 50);
  const auto text = case_text(c, {.file = "duct.gmy"});
  for (const auto& key : keys) EXPECT_THAT(text, HasSubstr("#   " + key));
}

TEST_F(HemelbCases, outputs_become_fields_and_extracts) {
  const auto output = [](const std::string& file, const std::string& geometry, const std::string& fields) {
    return "<propertyoutput file=\"" + file + "\" period=\"7\"><geometry " + geometry + "</geometry>" + fields + "</propertyoutput>\n";
  };
  const std::string velocity = "<field type=\"velocity\"/>", stresses = "<field type=\"shearstress\"/><field type=\"stresstensor\"/>";
  const auto point = [](const std::string& at) { return "<point units=\"m\" value=\"" + at + "\"/>"; };
  auto c = read({.more = "<properties>" + output("w.dat", "type=\"whole\">", velocity + "<field type=\"vonmisesstress\"/>") +
                               output("dir/a b.dat", "type=\"plane\"><normal units=\"dimensionless\" value=\"(0,2,0)\"/>" +
                                                         point("(0.11,0.2,0.3)") + "<radius units=\"lattice\" value=\"4\"/>", velocity) +
                               output("l.dat", "type=\"line\">" + point("(0.1,0.2,0.3)") + point("(0.1,0.2,0.4)"), velocity) +
                               output("l.dat", "type=\"surface\">", stresses + "<field type=\"distributions\"/>") +
                               output("fields.dat", "type=\"surfacepoint\">" + point("(0.1,0.2,0.31)"), velocity) + "</properties>\n"});
  EXPECT_EQ(c.not_carried.size(), 2U);  // the distributions, and what HemeLB was compiled with
  for (auto& opening : c.openings) opening.disc.radius = 0.009;
  const auto text = case_text(c, {.file = "duct.stl", .is_gmy = false, .unit = "mm", .metres_per_unit = 1e-3});
  const auto again = flow::read_case(scratch_.write("again.toml", text));
  using flow::FieldQuantity::von_mises, flow::FieldQuantity::wall_shear_stress, flow::FieldQuantity::stress;
  EXPECT_EQ(again.output.quantities, (std::vector{flow::FieldQuantity::velocity, von_mises}));
  ASSERT_EQ(again.extracts.size(), 4U);
  const auto& plane = again.extracts[0];
  EXPECT_EQ(plane.name, "dir_a_b");
  EXPECT_EQ(plane.every_steps, 7);
  EXPECT_NEAR(plane.at[0], 0.11, 1e-15);
  EXPECT_EQ(plane.normal, (geometry::Vector{0, 1, 0}));
  EXPECT_NEAR(*plane.radius, 0.004, 1e-15);
  EXPECT_NEAR(again.extracts[1].to[2], 0.4, 1e-15);
  EXPECT_NE(again.extracts[2].name, again.extracts[1].name);
  EXPECT_EQ(again.extracts[2].quantities, (std::vector{wall_shear_stress, stress}));
  EXPECT_EQ(again.extracts[3].shape, flow::ExtractCase::Shape::point);
}

// Their lines are looked up, not counted anew for each, and not all are told.
TEST_F(HemelbCases, a_hundred_thousand_unknown_elements) {
  std::string many;
  for (int i = 0; i < 100000; ++i) many += "<x/>\n";
  const auto c = read(Xml{.more = many});
  ASSERT_EQ(c.not_carried.size(), 202U);
  EXPECT_EQ(c.not_carried[200].key, "x (line 207)");
  EXPECT_EQ(c.not_carried[201].key, "99800 more elements");
}

TEST_F(HemelbCases, what_is_no_utf8_does_not_spoil_the_case) {
  auto xml = Xml{.inlet = "<condition type=\"\xE9\xC3\xA9\xED\xA0\x80\" subtype=\"\xF0\x9F\x92\xA7\"/>"};
  auto c = read(xml);
  const auto text = case_text(c, {.file = "v.stl", .is_gmy = false});
  EXPECT_THAT(text, HasSubstr("'?\xC3\xA9??? \xF0\x9F\x92\xA7'"));
}

TEST_F(HemelbCases, bad_ones_are_refused_with_file_and_line) {
  EXPECT_THAT(refusal(Xml{.version = "6"}),
              AllOf(HasSubstr("case.xml:2"), HasSubstr("version 6 (3, 4 and 5 are read)")));
  EXPECT_THAT(refusal(Xml{.version = "x"}), HasSubstr("version is 'x'"));
  EXPECT_THAT(refusal(Xml{.step = ""}),
              AllOf(HasSubstr("case.xml:3: simulation"), HasSubstr("<step_length> is missing")));
  EXPECT_THAT(refusal(Xml{.step = "<step_length units=\"ms\" value=\"1\"/>"}),
              HasSubstr("units are 'ms' (read are: s)"));
  EXPECT_THAT(refusal(Xml{.step = "<step_length units=\"s\" value=\"-1\"/>"}), HasSubstr("must be positive"));
  EXPECT_THAT(refusal(Xml{.step = "<step_length units=\"s\" value=\"CHANGE\"/>"}), HasSubstr("'CHANGE' is no number"));
  EXPECT_THAT(refusal(Xml{.step = "<step_length units=\"s\" value= 1e-5/>"}),
              AllOf(HasSubstr("case.xml:3"), HasSubstr("is no XML")));
  EXPECT_THAT(refusal(Xml{.steps = "0"}), HasSubstr("steps: value is '0'"));
  EXPECT_THAT(refusal(Xml{.position = "<position units=\"m\" value=\"(1,2)\"/>"}), HasSubstr("'(1,2)' is no vector"));
  EXPECT_THAT(refusal(Xml{.inlet = ""}), HasSubstr("<condition> is missing"));
  EXPECT_THAT(
      refusal(Xml{.inlet = "<condition type=\"pressure\" subtype=\"file\"><path value=\"no.txt\"/></condition>"}),
      HasSubstr("no.txt"));
  EXPECT_THAT(refusal(Xml{.inlet = pressure("1e308")}), HasSubstr("the value is 1e+308 mmHg (too large)"));
  EXPECT_THAT(refusal(Xml{.inlet = pressure("1e306", "1e306")}), HasSubstr("which is not a finite number"));
  EXPECT_THAT(refusal(Xml{.position = "<position units=\"m\" value=\"(1e308,0,0)\"/>"}), HasSubstr("too far away"));
  auto text = Xml{}.text();
  text.replace(text.find("(0,0,2)"), 7, "(0,1e-200,0)");
  EXPECT_THAT(refusal(text), HasSubstr("the normal has no length, or an absurd one: 0"));
  EXPECT_THAT(refusal("<settings/>"), HasSubstr("no case of HemeLB"));
  EXPECT_THAT(refusal(""), HasSubstr("is no XML"));
}

}  // namespace
}  // namespace weft::hemelb
