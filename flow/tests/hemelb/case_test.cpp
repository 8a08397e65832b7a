// SPDX-License-Identifier: BSD-3-Clause
//
// HemeLB's XML, correct and wrong, and the weft case that is written from it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "flow/case/case.hpp"
#include "flow/reading/case_reader.hpp"
#include "hemelb/case.hpp"
#include "hemelb/condition.hpp"
#include "hemelb/import.hpp"
#include "hemelb/xml.hpp"
#include "tests/support/gmy_writer.hpp"
#include "tests/support/scratch.hpp"
#include "weft/error.hpp"

namespace weft::hemelb {
namespace {

using ::testing::AllOf, ::testing::HasSubstr;

std::string pressure(const std::string& mean, const std::string& amplitude = "0") {
  return "<condition type=\"pressure\" subtype=\"cosine\"><amplitude units=\"mmHg\" value=\"" + amplitude +
         "\"/><mean units=\"mmHg\" value=\"" + mean +
         "\"/><phase units=\"rad\" value=\"0.5\"/><period units=\"s\" value=\"2\"/></condition>";
}

struct Xml {
  std::string version = "5", step = "<step_length units=\"s\" value=\"1e-4\"/>", steps = "100",
              inlet = pressure("2", "0.5"), outlet = pressure("0"), more = {},
              position = "<position units=\"m\" value=\"(0.111, 0.2075, 0.30125)\"/>";

  std::string text() const {
    return "<?xml version=\"1.0\"?>\n<hemelbsettings version=\"" + version + "\">\n<simulation>" + step +
           "<steps units=\"lattice\" value=\"" + steps +
           "\"/>\n<voxel_size units=\"m\" value=\"0.001\"/><origin units=\"m\" "
           "value=\"(0.1,0.2,0.3)\"/></simulation>\n<geometry><datafile "
           "path=\"duct.gmy\"/></geometry>\n<inlets><inlet>" +
           inlet + "<normal units=\"dimensionless\" value=\"(0,0,2)\"/>" + position +
           "</inlet></inlets>\n<outlets><outlet>" + outlet +
           "<normal units=\"dimensionless\" value=\"(0,0,-1)\"/><position units=\"lattice\" "
           "value=\"(11,7.5,28.75)\"/></outlet></outlets>\n" +
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

TEST_F(HemelbCases, a_mark_and_any_line_end_change_nothing) {
  std::string old_mac = "\xEF\xBB\xBF";
  for (const char c : Xml{}.text()) old_mac += c == '\n' ? '\r' : c;
  EXPECT_EQ(read_case(scratch_.write("case.xml", old_mac)).openings.size(), 2U);
  auto wrong = old_mac;
  wrong.replace(wrong.find("(0,0,-1)"), 8, "(0,0,-x)");
  EXPECT_THAT(refusal(wrong), HasSubstr("case.xml:7: outlets"));
  EXPECT_THAT(refusal("\xFF\xFE<"), HasSubstr("case.xml: This text is UTF-16"));
  Xml xml;
  xml.inlet = "<condition type=\"pressure\" subtype=\"file\"><path value=\"p.txt\"/></condition>";
  scratch_.write("p.txt",
                 "\xEF\xBB\xBF"
                 "0 1\r1 2\r");
  EXPECT_EQ(read(xml).openings[0].value.points.size(), 2U);
}

TEST_F(HemelbCases, a_cosine_stays_a_cosine) {
  const auto value = imported({}).openings[0].value;
  ASSERT_TRUE(value.cosine);
  EXPECT_EQ(value.repeats_after(), 2);
  for (const double t : {0.0, 0.3, 1.1, 1.9, 2.7}) {
    const double right = pascals_a_mmhg * (2 + 0.5 * std::cos(0.5 + std::numbers::pi * t));
    EXPECT_NEAR(value.at(t), right, 1e-12 * right) << t;
  }
  EXPECT_NE(refusal(Xml{.inlet = pressure("1", "1e300"), .outlet = pressure("1e306", "1e306")}), "");
}

constexpr auto resistor = "<R units=\"kg/m^4*s\" value=\"1e10\"/>";
constexpr auto capacitor = "<C units=\"m^4*s^2/kg\" value=\"2e-13\"/>";
constexpr auto disc = "<radius units=\"m\" value=\"0.009\"/>";

std::string condition(const std::string& type, const std::string& subtype, const std::string& content) {
  return "<condition type=\"" + type + "\" subtype=\"" + subtype + "\">" + content + "</condition>";
}

TEST_F(HemelbCases, windkessels_become_resistances_rc_and_rcr) {
  scratch_.write("weights.txt", "6 6 239 0.5\n8 20 242 0.231031\n");
  const std::string area = "<area units=\"m^2\" value=\"1.25e-7\"/>", path = "<path value=\"weights.txt\"/>";
  const std::string rcr =
      "<Rc value=\"2e6\" units=\"kg/m^4*s\"/><Rp value=\"1e9\" units=\"kg/m^4*s\"/><Cp value=\"1.5e-8\" "
      "units=\"m^4*s^2/kg\"/>";
  struct Kind {
    const char *type, *subtype;
    std::string content;
    flow::WindkesselCase expected;
    double radius;
  };
  const double of_area = std::sqrt(1.25e-7 / std::numbers::pi);
  const std::string r = resistor, rc = r + capacitor;
  const Kind kinds[] = {{"windkessel", "GKmodel", rc + disc, {1e10, 2e-13, 0, 0}, 0.009},
                        {"windkessel", "GKmodel", r + disc, {1e10, 0, 0, 0}, 0.009},
                        {"windkessel", "fileGKmodel", path + r + disc + area, {1e10, 0, 0, 0}, 0.009},
                        {"pressure", "WK", rc + disc + area, {1e10, 2e-13, 0, 0}, 0.009},
                        {"pressure", "fileWK", path + rc + area, {1e10, 2e-13, 0, 0}, of_area},
                        {"yangpressure", "WK2", rc + disc + area, {1e10, 2e-13, 0, 0}, 0.009},
                        {"pressure", "WK3", rcr + disc + area, {1e9, 1.5e-8, 2e6, 0}, 0.009}};
  for (const auto& kind : kinds) {
    const Xml xml{.outlet = condition(kind.type, kind.subtype, kind.content)};
    const auto c = imported(xml);
    const auto& outlet = c.openings[1];
    EXPECT_TRUE(outlet.is(flow::OpeningCase::Rule::windkessel)) << kind.subtype;
    EXPECT_EQ(outlet.windkessel.resistance, kind.expected.resistance);
    EXPECT_EQ(outlet.windkessel.capacitance, kind.expected.capacitance);
    EXPECT_EQ(outlet.windkessel.proximal, kind.expected.proximal);
    EXPECT_EQ(outlet.windkessel.initial, 0);
    EXPECT_NEAR(outlet.disc.radius, kind.radius, 1e-12) << kind.subtype;
    EXPECT_TRUE(read(xml).not_carried.empty()) << kind.subtype;
  }
  const auto warm = imported(
      {.outlet = condition("windkessel", "GKmodel", rc),
       .more = "<initialconditions><pressure><uniform units=\"mmHg\" value=\"3\"/></pressure></initialconditions>"});
  EXPECT_NEAR(warm.openings[1].windkessel.initial, 3 * pascals_a_mmhg, 1e-9);
  const auto without = read(
      {.more = "<initialconditions><pressure><uniform units=\"mmHg\" value=\"3\"/></pressure></initialconditions>"});
  EXPECT_THAT(without.assumed.back().why,
              AllOf(HasSubstr("the fluid begins at rest"), ::testing::Not(HasSubstr("windkessel"))));
}

TEST_F(HemelbCases, windkessels_that_are_none_are_refused_or_told) {
  const auto outlet = [](const std::string& content, const char* subtype = "GKmodel") {
    return Xml{.outlet = condition("windkessel", subtype, content)};
  };
  EXPECT_THAT(refusal(outlet(capacitor)), AllOf(HasSubstr("case.xml:7"), HasSubstr("<R> is missing")));
  EXPECT_THAT(refusal(outlet("<R units=\"kg/m^4*s\" value=\"0\"/>")), HasSubstr("must be positive"));
  EXPECT_THAT(refusal(outlet("<R units=\"ohm\" value=\"1\"/>")), HasSubstr("units are 'ohm'. Give one of kg/m^4*s"));
  EXPECT_THAT(refusal(outlet(std::string(resistor) + "<C units=\"m^4*s^2/kg\" value=\"-1\"/>")),
              HasSubstr("must not be negative"));
  EXPECT_THAT(refusal(Xml{.outlet = condition("pressure", "WK3", resistor)}), HasSubstr("<Rp> is missing"));
  scratch_.write("bad.txt", "1 2 3 0.5\n1 2 fast\n");
  EXPECT_THAT(refusal(outlet(std::string(resistor) + "<path value=\"bad.txt\"/>", "fileGKmodel")),
              AllOf(HasSubstr("bad.txt:2"), HasSubstr("not a line of a weights file")));
  const auto replaced = [](const HemelbCase& c) {
    return std::ranges::count_if(c.not_carried, [](const auto& entry) { return entry.replaced; });
  };
  EXPECT_EQ(replaced(read({.inlet = condition("windkessel", "GKmodel", resistor)})),
            1);  // only an outlet can depend on the flow
  EXPECT_EQ(replaced(read({.outlet = condition("multiscale", "flux", "")})), 1);
  EXPECT_EQ(replaced(read(outlet(resistor))), 0);
}

TEST_F(HemelbCases, what_has_no_quotes_is_read_with_a_warning) {
  auto text = Xml{.step = "<!-- a= 1 --><step_length units=\"s\" value= 1.0e-05/>"}.text();
  const auto c = read_case(scratch_.write("case.xml", text));
  EXPECT_EQ(c.time_step, 1e-5);
  ASSERT_EQ(c.warnings.size(), 1U);
  EXPECT_THAT(c.warnings[0], AllOf(HasSubstr("case.xml:3: The attribute 'value' of <step_length> has no quotes"),
                                   HasSubstr("value=\"1.0e-05\"")));
  const auto several = with_quotes("<a b=1 c='x=y' d = 2>\n<e f=../g/h.txt/> k=l </a>");
  EXPECT_EQ(several.text, "<a b=\"1\" c='x=y' d = \"2\">\n<e f=\"../g/h.txt\"/> k=l </a>");
  ASSERT_EQ(several.added.size(), 3U);
  EXPECT_EQ(several.added[2].line, 2U);
  EXPECT_EQ(several.added[2].element, "e");
  for (const std::string same :
       {"<a", "<", "<a b", "<a b=", "<a b=\"", "<a b=>", "<!--", "<a <b c=\"1\"/>", "<![CDATA[<a b=1>]]>", "<?x y=1?>"})
    EXPECT_EQ(with_quotes(same).text, same);
}

TEST_F(HemelbCases, a_warm_up_becomes_a_ramp) {
  const auto c = imported(
      {.step = "<step_length units=\"s\" value=\"1e-4\"/><extra_warmup_steps units=\"lattice\" value=\"50\"/>"});
  EXPECT_EQ(*c.run.steps, 150);
  EXPECT_NEAR(c.run.ramp, 50e-4, 1e-15);
}

// HemePure's own case of five windkessels.
TEST_F(HemelbCases, six_branches_are_imported_without_loss) {
  const std::filesystem::path file =
      std::filesystem::path(WEFT_SOURCE).parent_path() / "shared/data/hemepure-sixbranch/input.xml";
  if (!std::filesystem::exists(file)) GTEST_SKIP() << file << " is not there";
  auto c = read_case(file);
  EXPECT_TRUE(c.not_carried.empty()) << c.not_carried.front().key;
  EXPECT_TRUE(c.warnings.empty());
  fill_in_radii(c);
  const auto again = flow::read_case(scratch_.write("six.toml", case_text(c, {.file = c.gmy})));
  ASSERT_EQ(again.openings.size(), 6U);
  for (std::size_t k = 1; k < 6; ++k) {
    EXPECT_NEAR(again.openings[k].windkessel.resistance, static_cast<double>(k) * 1e10, 1);
    EXPECT_NEAR(again.openings[k].windkessel.capacitance, 2e-13 / static_cast<double>(k), 1e-25);
  }
  EXPECT_EQ(again.extracts.size(), 7U);  // of one inlet, five outlets, a plane
}

TEST_F(HemelbCases, velocities_become_means_over_the_disc) {
  const auto parabola =
      imported({.inlet = "<condition type=\"velocity\" subtype=\"parabolic\"><radius units=\"lattice\" "
                         "value=\"9\"/><maximum units=\"lattice\" value=\"0.1\"/></condition>"});
  EXPECT_EQ(parabola.openings[0].kind, lattice::OpeningState::Kind::velocity);
  EXPECT_NEAR(parabola.openings[0].value.at(0), 0.05 * 0.001 / 1e-4, 1e-12);
  EXPECT_NEAR(parabola.openings[0].disc.radius, 0.009, 1e-12);
  scratch_.write("speed.txt", "# s, m/s\n0 0\n1 0.2\n2.5  0.1\n");
  const auto file = imported({.inlet = "<condition type=\"velocity\" subtype=\"file\"><radius units=\"m\" "
                                       "value=\"0.009\"/><path value=\"speed.txt\"/></condition>"});
  EXPECT_NEAR(file.openings[0].value.at(0.5), 0.05, 1e-12);
}

TEST_F(HemelbCases, a_womersley_flow_keeps_its_mean) {
  // Slow: Poiseuille, in phase with the gradient, A R^2 / (8 nu), alpha^2 = R^2 w / nu. Fast: inviscid, A / w, a
  // quarter period later.
  constexpr double period = 1000, w = 2 * std::numbers::pi / period;
  const auto slow = womersley_mean(1e-5, period, 0.1), fast = womersley_mean(1e-5, period, 50);
  EXPECT_NEAR(slow.real() / (1e-5 * 0.01 / (8 * w)), 1, 1e-3);
  EXPECT_NEAR(-fast.imag() / (1e-5 / w), 1, 0.05);
  const auto c = imported(
      {.inlet = "<condition type=\"velocity\" subtype=\"womersley\"><radius units=\"lattice\" "
                "value=\"9\"/><pressure_gradient_amplitude units=\"lattice\" value=\"1e-5\"/><period units=\"lattice\" "
                "value=\"1000\"/><womersley_number units=\"dimensionless\" value=\"3\"/></condition>"});
  const auto& inlet = c.openings[0];
  EXPECT_TRUE(inlet.womersley);
  EXPECT_NEAR(inlet.value.repeats_after(), 0.1, 1e-12);
  const auto mean = 10.0 * womersley_mean(1e-5, period, 3);  // one voxel per step is 10 m/s
  for (const double t : {0.0, 0.02, 0.07}) {
    const auto turned = mean * std::polar(1.0, 2 * std::numbers::pi * t / 0.1);
    EXPECT_NEAR(inlet.value.at(t), turned.real(), 1e-12) << t;
  }
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
      read({.outlet = "<condition type=\"multiscale\" subtype=\"GKmodel\"><R units=\"x\" value=\"1\"/></condition>",
            .more = "<visualisation/>\n<properties><propertyoutput file=\"a\" period=\"10\"><geometry "
                    "type=\"sphere\"/><field type=\"velocity\"/></propertyoutput><propertyoutput file=\"b\" "
                    "period=\"20\"><geometry type=\"whole\"/><field type=\"velocity\"/></propertyoutput><checkpoint "
                    "file=\"c\" period=\"50\"/></properties>\n<novelty/>\n"});
  std::vector<std::string> keys;
  for (const auto& entry : c.not_carried) keys.push_back(entry.key);
  EXPECT_THAT(keys, ::testing::UnorderedElementsAre("outlets/outlet/condition (line 7)",
                                                    "outlets/outlet/condition/R (line 7)", "visualisation (line 8)",
                                                    "properties/propertyoutput (line 9)", "novelty (line 10)"));
  EXPECT_EQ(*c.output_every, 20);
  EXPECT_EQ(*c.checkpoint_every, 50);
  const auto text = case_text(c, {.file = "duct.gmy"});
  for (const auto& key : keys) EXPECT_THAT(text, HasSubstr("#   " + key));
}

std::string strict_refusal(const HemelbCase& c) {
  try {
    refuse_loss(c);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST_F(HemelbCases, strict_names_all_that_would_be_lost) {
  const auto c = read(
      {.step = "<step_length units=\"s\" value=\"1e-4\"/><elastic_wall_stiffness units=\"lattice\" value=\"0.01\"/>",
       .more = "<initialconditions><checkpoint "
               "file=\"c.xtr\"/></initialconditions>\n<bodyForces/>\n<boundaryConditions/"
               ">\n<colloids><boundaryConditions/><bodyForces/></colloids>\n<visualisation/>\n"});
  const auto said = strict_refusal(c);
  for (const auto* part :
       {"case.xml: These elements can't be converted: ",
        "simulation/elastic_wall_stiffness (line 3): weft's walls are rigid",
        "initialconditions/checkpoint (line 8): weft can't restart from HemeLB's checkpoints", "bodyForces (line 9): ",
        "boundaryConditions (line 10): ", "colloids (line 11): ", "colloids/bodyForces (line 11): ",
        "colloids/boundaryConditions (line 11): ", "(--strict refuses that). Omit --strict"})
    EXPECT_THAT(said, HasSubstr(part));
  EXPECT_THAT(said, ::testing::Not(HasSubstr("visualisation")));  // only HemeLB's pictures
  EXPECT_EQ(strict_refusal(read({.more = "<visualisation/>\n"})), "");
  std::string many;
  for (int i = 0; i < 300; ++i) many += "<x/>";
  EXPECT_THAT(strict_refusal(read(Xml{.more = many})), HasSubstr("; and 181 more (--strict refuses that)"));
  const auto start = read({.more = "<initialconditions><pressure><uniform units=\"mmHg\" "
                                   "value=\"3\"/></pressure><checkpoint file=\"c.xtr\"/></initialconditions>"});
  EXPECT_THAT(strict_refusal(start), HasSubstr("initialconditions/checkpoint (line 8)"));
}

TEST_F(HemelbCases, a_cosine_of_no_amplitude_is_a_constant_whatever_its_period) {
  auto inlet = pressure("2");
  const std::string period = "<period units=\"s\" value=\"2\"/>", none = "<period units=\"s\" value=\"0\"/>";
  inlet.replace(inlet.find(period), period.size(), none);
  const auto value = imported({.inlet = inlet}).openings[0].value;
  EXPECT_FALSE(value.cosine);
  EXPECT_NEAR(value.at(7), 2 * pascals_a_mmhg, 1e-9);
  auto swinging = pressure("2", "1");
  swinging.replace(swinging.find(period), period.size(), none);
  EXPECT_THAT(refusal(Xml{.inlet = swinging}), HasSubstr("The period is 0 s (it must be at least 1e-09 s)"));
  const auto still =
      imported({.inlet = "<condition type=\"velocity\" subtype=\"womersley\"><radius units=\"lattice\" "
                         "value=\"9\"/><pressure_gradient_amplitude units=\"lattice\" value=\"0\"/><period units=\"s\" "
                         "value=\"0\"/><womersley_number units=\"dimensionless\" value=\"0\"/></condition>"});
  EXPECT_EQ(still.openings[0].kind, lattice::OpeningState::Kind::velocity);
  EXPECT_EQ(still.openings[0].value.at(3), 0);
  EXPECT_FALSE(still.openings[0].womersley);
}

TEST_F(HemelbCases, walls_are_half_way_as_hemelbs_usual_ones) {
  EXPECT_EQ(imported({}).lattice.wall, lattice::Wall::half_way);
}

// A tube with eight sides and without ends, and a second one beside it that the openings' planes also cut.
TEST_F(HemelbCases, a_surface_gives_the_radii_without_the_gmy) {
  const auto tube = [](double x, double y) {
    std::string text;
    const auto corner = [&](int k, double z) {
      const double angle = std::numbers::pi * k / 4;
      return std::to_string(x + 9 * std::cos(angle)) + " " + std::to_string(y + 9 * std::sin(angle)) + " " +
             std::to_string(z) + "\nvertex ";
    };
    const auto facet = [&](const std::string& corners) {
      text += "facet normal 0 0 1\nouter loop\nvertex " + corners.substr(0, corners.size() - 7) + "endloop\nendfacet\n";
    };
    for (int k = 0; k < 8; ++k) {
      facet(corner(k, 301) + corner(k + 1, 301) + corner(k, 329));
      facet(corner(k + 1, 301) + corner(k + 1, 329) + corner(k, 329));
    }
    return text;
  };
  const auto file = scratch_.write("open.stl", "solid\n" + tube(111, 207.5) + tube(131, 207.5) + "endsolid\n");
  auto c = read({});  // there is no duct.gmy
  fill_in_radii(c, file, 1e-3);
  EXPECT_NEAR(c.openings[0].disc.radius, 0.009 + 0.0005, 1e-5);
  EXPECT_NEAR(c.openings[1].disc.radius, 0.009 + 0.0005, 1e-5);
  auto away = read({.position = "<position units=\"m\" value=\"(0.111, 0.2075, 0.6)\"/>"});
  try {
    fill_in_radii(away, file, 1e-3);
    ADD_FAILURE() << "not refused";
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(), AllOf(HasSubstr("open.stl: The plane of inlet0"), HasSubstr("cuts no triangle")));
  }
}

TEST_F(HemelbCases, outputs_become_fields_and_extracts) {
  const auto output = [](const std::string& file, const std::string& geometry, const std::string& fields) {
    return "<propertyoutput file=\"" + file + "\" period=\"7\"><geometry " + geometry + "</geometry>" + fields +
           "</propertyoutput>\n";
  };
  const std::string velocity = "<field type=\"velocity\"/>",
                    stresses = "<field type=\"shearstress\"/><field type=\"stresstensor\"/>";
  const auto point = [](const std::string& at) { return "<point units=\"m\" value=\"" + at + "\"/>"; };
  auto c = read(
      {.more = "<properties>" + output("w.dat", "type=\"whole\">", velocity + "<field type=\"vonmisesstress\"/>") +
               output("dir/a b.dat",
                      "type=\"plane\"><normal units=\"dimensionless\" value=\"(0,2,0)\"/>" + point("(0.11,0.2,0.3)") +
                          "<radius units=\"lattice\" value=\"4\"/>",
                      velocity) +
               output("l.dat", "type=\"line\">" + point("(0.1,0.2,0.3)") + point("(0.1,0.2,0.4)"), velocity) +
               output("l.dat", "type=\"surface\">", stresses + "<field type=\"distributions\"/>") +
               output("fields.dat", "type=\"surfacepoint\">" + point("(0.1,0.2,0.31)"), velocity) + "</properties>\n"});
  EXPECT_EQ(c.not_carried.size(), 1U);  // the distributions
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
  EXPECT_EQ(again.extracts[3].shape, flow::ExtractCase::Shape::surface);
  EXPECT_NEAR(*again.extracts[3].radius, std::sqrt(3.0) * 0.001, 1e-12);
  EXPECT_NEAR(again.extracts[3].at[2], 0.31, 1e-12);
}

// Their line numbers are looked up, not counted again for each element, and only the first 200 are listed.
TEST_F(HemelbCases, a_hundred_thousand_unknown_elements) {
  std::string many;
  for (int i = 0; i < 100000; ++i) many += "<x/>\n";
  const auto c = read(Xml{.more = many});
  ASSERT_EQ(c.not_carried.size(), 201U);
  EXPECT_EQ(c.not_carried[199].key, "x (line 207)");
  EXPECT_EQ(c.not_carried[200].key, "99800 more elements");
}

TEST_F(HemelbCases, what_is_no_utf8_does_not_spoil_the_case) {
  auto xml = Xml{.inlet = "<condition type=\"\xE9\xC3\xA9\xED\xA0\x80\" subtype=\"\xF0\x9F\x92\xA7\"/>"};
  auto c = read(xml);
  const auto text = case_text(c, {.file = "v.stl", .is_gmy = false});
  EXPECT_THAT(text, HasSubstr("'?\xC3\xA9??? \xF0\x9F\x92\xA7'"));
}

TEST_F(HemelbCases, bad_ones_are_refused_with_file_and_line) {
  EXPECT_THAT(refusal(Xml{.version = "6"}),
              AllOf(HasSubstr("case.xml:2"), HasSubstr("version is 6 (weft reads 3, 4 and 5)")));
  EXPECT_THAT(refusal(Xml{.version = "x"}), HasSubstr("version is 'x'"));
  EXPECT_THAT(refusal(Xml{.step = ""}),
              AllOf(HasSubstr("case.xml:3: simulation"), HasSubstr("<step_length> is missing")));
  EXPECT_THAT(refusal(Xml{.step = "<step_length units=\"ms\" value=\"1\"/>"}),
              HasSubstr("units are 'ms'. Give one of s"));
  EXPECT_THAT(refusal(Xml{.step = "<step_length units=\"s\" value=\"-1\"/>"}), HasSubstr("must be positive"));
  EXPECT_THAT(refusal(Xml{.step = "<step_length units=\"s\" value=\"CHANGE\"/>"}),
              HasSubstr("'CHANGE' is not a number"));
  EXPECT_THAT(refusal(Xml{.step = "<step_length units=\"s\" value=/>"}),
              AllOf(HasSubstr("case.xml:3"), HasSubstr("not XML")));
  EXPECT_THAT(refusal(Xml{.steps = "0"}), HasSubstr("steps: value is '0'"));
  EXPECT_THAT(refusal(Xml{.position = "<position units=\"m\" value=\"(1,2)\"/>"}),
              HasSubstr("'(1,2)' is not a vector"));
  EXPECT_THAT(refusal(Xml{.inlet = ""}), HasSubstr("<condition> is missing"));
  EXPECT_THAT(
      refusal(Xml{.inlet = "<condition type=\"pressure\" subtype=\"file\"><path value=\"no.txt\"/></condition>"}),
      HasSubstr("no.txt"));
  EXPECT_THAT(refusal(Xml{.inlet = pressure("1e308")}), HasSubstr("The value is 1e+308 mmHg (too large)"));
  EXPECT_THAT(refusal(Xml{.inlet = pressure("1e306", "1e306")}), HasSubstr("not finite"));
  EXPECT_THAT(refusal(Xml{.position = "<position units=\"m\" value=\"(1e308,0,0)\"/>"}), HasSubstr("too far away"));
  auto text = Xml{}.text();
  text.replace(text.find("(0,0,2)"), 7, "(0,1e-200,0)");
  EXPECT_THAT(refusal(text), HasSubstr("The normal has a length of 0"));
  EXPECT_THAT(refusal("<settings/>"), HasSubstr("not a HemeLB case"));
  EXPECT_THAT(refusal(""), HasSubstr("not XML"));
}

}  // namespace
}  // namespace weft::hemelb
