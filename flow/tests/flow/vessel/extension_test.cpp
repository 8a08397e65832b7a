// SPDX-License-Identifier: BSD-3-Clause
//
// Extensions that a case requests.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

#include "flow/reading/case_reader.hpp"
#include "flow/set_up/check.hpp"
#include "tests/support/flow_run.hpp"
#include "tests/support/geometry_shapes.hpp"
#include "tests/support/prisms.hpp"
#include "tests/support/scratch.hpp"
#include "weft/error.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::flow {
namespace {

using namespace geometry::test;
using ::testing::HasSubstr;

/// A tube along z, of radius 5 mm, from `from` to 30 mm, driven by pressures.
std::string tube_case(double from, const std::string& in, const std::string& drive = "pressure = 0.002") {
  return fmt::format(
      "[surface]\nfile = \"tube{0:g}.stl\"\nunit = \"mm\"\nvoxel = \"1 mm\"\norigin = [0.5, 0.5, 0.5]\n[lattice]\nwall "
      "= \"bouzidi\"\n"
      "time_step = \"20 ms\"\n[run]\nramp = 0\nsteps = 10\n"
      "[[inlet]]\nname = \"in\"\ncentre = [0, 0, {0:g}]\nnormal = [0, 0, 1]\nradius = 5\n{2}\n{1}"
      "[[outlet]]\nname = \"out\"\ncentre = [0, 0, 30]\nnormal = [0, 0, -1]\nradius = 5\npressure = 0\n",
      from, in, drive);
}

class ExtendedCase : public ::testing::Test {
 protected:
  ExtendedCase() {
    for (const double from : {0.0, 12.0})
      write_file(scratch.path() / fmt::format("tube{:g}.stl", from),
                 binary_stl(prism(ellipse(5, 5, 96), geometry::Plane::through({0, 0, from}, {0, 0, 1}), 30 - from)));
  }
  std::string refusal(const std::string& text) {
    try {
      auto c = read_case(scratch.write("case.toml", text));
      run_in_process(2, [&](Transport& transport) {
        auto mine = c;
        make_vessel(transport, mine);
      });
    } catch (const InputError& e) {
      return e.what();
    }
    return "";
  }
  struct Result {
    Case c;
    RunState state;
    std::int64_t sites = 0, added = 0;
    double length = 0;
  };
  Result run(const std::string& text, std::int64_t steps, int ranks = 1) {
    Result result;
    const auto c = read_case(scratch.write("case.toml", text));
    run_in_process(ranks, [&](Transport& transport) {
      auto mine = c;
      const auto vessel = make_vessel(transport, mine);
      auto state = run_clients(transport, mine, vessel, {.steps = steps, .monitor_every = steps});
      if (transport.rank() != 0) return;
      result.state = std::move(state);
      result.c = mine;
      result.sites = vessel.setup.sites;
      if (vessel.extensions.empty()) return;
      result.added = vessel.extensions[0].sites;
      result.length = vessel.extensions[0].shape.length;
    });
    return result;
  }

  weft::test::Scratch scratch;
};

TEST_F(ExtendedCase, flows_as_a_longer_tube_does) {
  constexpr int steps = 800;
  const auto longer = run(tube_case(0, ""), steps), extended = run(tube_case(12, "extension = \"12 mm\"\n"), steps, 2);
  EXPECT_EQ(extended.sites, longer.sites);
  EXPECT_EQ(extended.added, longer.sites * 12 / 30);
  EXPECT_NEAR(extended.c.openings[0].disc.centre[2], 0, 1e-9);
  EXPECT_NEAR(extended.state.row.flow[0] / longer.state.row.flow[0], 1, 1e-6);
  // Poiseuille's flow over the whole length.
  const double drop = 0.002, exact = std::numbers::pi * std::pow(5e-3, 4) * drop / (8 * 3.5e-3 * 30e-3);
  EXPECT_NEAR(extended.state.row.flow[0] / exact, 1, 0.08);
}

TEST_F(ExtendedCase, is_asked_for_in_diameters_too) {
  const auto result = run(tube_case(12, "extension = \"1.5 diameters\"\nextension_shape = \"round\"\n"), 5);
  EXPECT_NEAR(result.length, 15e-3, 2e-5);  // of a polygon with 96 corners
  EXPECT_NEAR(run(tube_case(12, "extension = 7\n"), 5).length, 7e-3, 1e-12);
}

TEST_F(ExtendedCase, delivers_what_was_prescribed) {
  const auto result = run(tube_case(12, "extension = \"2 diameters\"\n", "flow = \"0.02 ml/s\""), 40, 3);
  EXPECT_NEAR(result.state.row.flow[0] / 0.02e-6, 1, 1e-9);
}

TEST_F(ExtendedCase, leaves_the_vessels_own_sites_where_they_are) {
  // Without a given origin, sites lie half a voxel from the surface as given.
  auto plain = tube_case(12, ""), extended = tube_case(12, "extension = \"12.3 mm\"\n");
  for (auto* text : {&plain, &extended})
    text->erase(text->find("origin"), std::string("origin = [0.5, 0.5, 0.5]\n").size());
  std::map<std::array<long, 3>, int> seen;
  int number = 0;
  for (const auto* text : {&plain, &extended}) {
    ++number;
    const auto c = read_case(scratch.write("case.toml", *text));
    run_in_process(1, [&](Transport& transport) {
      auto mine = c;
      const auto vessel = make_vessel(transport, mine);
      for (const auto& site : vessel.domain.sites) {
        const auto p = vessel.domain.grid.centre(site);
        if (p[2] > 12e-3) seen[{std::lround(1e7 * p[0]), std::lround(1e7 * p[1]), std::lround(1e7 * p[2])}] += number;
      }
    });
  }
  for (const auto& [place, who] : seen) ASSERT_EQ(who, 3) << place[0] << " " << place[1] << " " << place[2];
}

TEST_F(ExtendedCase, can_be_made_twice) {
  auto c = read_case(scratch.write("case.toml", tube_case(12, "extension = \"5 mm\"\n", "flow = \"0.02 ml/s\"")));
  run_in_process(1, [&](Transport& transport) {
    const auto first = make_vessel(transport, c);
    const auto value = c.openings[0].value.at(0);
    const auto second = make_vessel(transport, c);
    EXPECT_EQ(first.setup.sites, second.setup.sites);
    EXPECT_EQ(c.openings[0].value.at(0), value);
  });
}

TEST_F(ExtendedCase, is_refused_in_a_line) {
  EXPECT_EQ(refusal(tube_case(12, "extension = \"5 mm\"\n")), "");
  EXPECT_THAT(refusal(tube_case(12, "extension = \"-2 diameters\"\n")),
              HasSubstr("case.toml:18: extension in [[inlet]] is '-2 diameters'"));
  EXPECT_THAT(refusal(tube_case(12, "extension = \"three diameters\"\n")),
              HasSubstr("Give for example \"3 diameters\" or \"12 mm\""));
  EXPECT_THAT(refusal(tube_case(12, "extension = \"1e9 diameters\"\n")), HasSubstr("at most 1000"));
  EXPECT_THAT(refusal(tube_case(12, "extension = -1\n")), HasSubstr("extension in [[inlet]]"));
  EXPECT_THAT(refusal(tube_case(12, "extension = \"3 mmHg\"\n")), HasSubstr("extension in [[inlet]]"));
  EXPECT_THAT(refusal(tube_case(12, "extension_shape = \"round\"\n")), HasSubstr("there is no extension"));
  EXPECT_THAT(refusal(tube_case(12, "extension = 1\nextension_shape = \"square\"\n")), HasSubstr("lumen, round"));
  auto turned = tube_case(12, "extension = 1\n");
  turned.replace(turned.find("normal = [0, 0, 1]"), 18, "normal = [0, 0, -1]");
  EXPECT_THAT(refusal(turned), HasSubstr("Extension of opening 'in'"));
}

TEST_F(ExtendedCase, is_told_by_the_check_beside_the_lumen) {
  auto c = read_case(scratch.write("case.toml", tube_case(12, "extension = \"5 mm\"\n", "flow = \"0.02 ml/s\"")));
  run_in_process(1, [&](Transport& transport) {
    const auto vessel = make_vessel(transport, c);
    CheckNumbers numbers{.sites = vessel.setup.sites,
                         .opening_sites = vessel.setup.opening_sites,
                         .lumens = vessel.lumens,
                         .extensions = {{0, vessel.extensions[0].shape.length, vessel.extensions[0].sites}}};
    const auto report = check_report(c, vessel.scaling, numbers);
    EXPECT_THAT(report, HasSubstr("disc mm^2    lumen mm^2"));
    EXPECT_THAT(report, HasSubstr("78.48"));  // of a polygon with 96 corners
    EXPECT_THAT(report, HasSubstr("(0.02 ml/s)"));
    EXPECT_THAT(report, HasSubstr("5 mm       400"));
    EXPECT_THAT(report, ::testing::Not(HasSubstr("Set its radius")));
    for (const auto& [radius, word] : {std::pair{9e-3, "larger"}, {3e-3, "smaller"}}) {
      c.openings[1].disc.radius = radius;
      EXPECT_THAT(check_report(c, vessel.scaling, numbers), HasSubstr(word));
    }
    numbers.lumens[0].others = {1e-5};
    EXPECT_THAT(check_report(c, vessel.scaling, numbers), HasSubstr("Opening 'in' cuts 1 more lumen (10 mm^2)"));
  });
}

}  // namespace
}  // namespace weft::flow
