// SPDX-License-Identifier: BSD-3-Clause
//
// A flow from a .gmy file: the fields are bitwise identical on any number of ranks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flow/extracts/extracts.hpp"
#include "flow/reading/case_reader.hpp"
#include "hemelb/case.hpp"
#include "hemelb/import.hpp"
#include "tests/support/flow_run.hpp"
#include "tests/support/gmy_writer.hpp"
#include "tests/support/scratch.hpp"
#include "weft/error.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::flow {
namespace {

using ::testing::HasSubstr;

std::string case_text(const std::string& lattice) {
  return "[surface]\nfile = \"duct.gmy\"\nunit = \"m\"\n" + lattice +
         "[lattice]\ntime_step = 0.02\n[run]\nramp = 0\nsteps = 30\n"
         "[[inlet]]\ncentre = [0.111, 0.2075, 0.301]\nnormal = [0.0, 0.0, 1.0]\nradius = 0.01\npressure = 0.001\n"
         "[[outlet]]\ncentre = [0.111, 0.2075, 0.329]\nnormal = [0.0, 0.0, -1.0]\nradius = 0.01\npressure = 0.0\n";
}

RunState run_on(int ranks, const std::filesystem::path& file) {
  RunState result;
  run_in_process(ranks, [&](Transport& transport) {
    Case c;
    together(transport, [&] { c = read_case(file); });
    const auto vessel = make_vessel(transport, c);
    auto state = run_clients(transport, c, vessel, {.steps = 30});
    if (transport.rank() == 0) result = std::move(state);
  });
  return result;
}

std::string refusal(const std::filesystem::path& file) {
  try {
    read_case(file);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

TEST(GmyFlow, fields_are_the_same_on_any_number_of_ranks) {
  const test::Scratch scratch;
  scratch.write("duct.gmy", hemelb::test::Duct{}.text());
  const auto file = scratch.write("duct.toml", case_text("voxel = 0.001\norigin = [0.1, 0.2, 0.3]\n"));
  const auto reference = run_on(1, file);
  EXPECT_EQ(static_cast<std::int64_t>(reference.sites.size()), hemelb::test::Duct{}.sites());
  double fastest = 0;
  for (const auto& site : reference.sites) fastest = std::max(fastest, site.velocity[2]);
  EXPECT_GT(fastest, 0) << "nothing flows";
  for (const int ranks : {2, 3}) EXPECT_TRUE(run_on(ranks, file).sites == reference.sites) << ranks << " ranks";
}

TEST(GmyFlow, a_velocity_is_one_over_the_sites_own_section) {
  const test::Scratch scratch;
  const hemelb::test::Duct duct;
  scratch.write("duct.gmy", duct.text());
  auto text = case_text("voxel = 0.001\norigin = [0.1, 0.2, 0.3]\n");
  text.replace(text.find("pressure = 0.001"), 16, "velocity = 0.001");
  const auto file = scratch.write("duct.toml", text);
  const double area = (duct.high[0] - duct.low[0]) * (duct.high[1] - duct.low[1]) * 1e-6;
  const auto one = run_on(1, file), three = run_on(3, file);
  EXPECT_NEAR(one.row.flow[0] / (0.001 * area), 1, 1e-9);
  EXPECT_TRUE(one.sites == three.sites);
}

// HemeLB's surfacepoint lies on the wall, not in the voxel of a site.
TEST(GmyFlow, a_point_of_the_surface_has_the_sites_beside_it) {
  const test::Scratch scratch;
  scratch.write("duct.gmy", hemelb::test::Duct{}.text());
  const auto point = [&](const std::string& at, const std::string& name) {
    const std::string condition =
        "<condition type=\"pressure\" subtype=\"cosine\"><amplitude units=\"Pa\" value=\"0\"/><mean units=\"Pa\" "
        "value=\"0\"/><phase units=\"rad\" value=\"0\"/><period units=\"s\" value=\"0\"/></condition>";
    auto c = hemelb::read_case(scratch.write(
        "case.xml",
        "<hemelbsettings version=\"5\"><simulation><step_length units=\"s\" value=\"0.02\"/><steps value=\"3\"/>"
        "<voxel_size units=\"m\" value=\"0.001\"/><origin units=\"m\" value=\"(0.1,0.2,0.3)\"/></simulation>"
        "<geometry><datafile path=\"duct.gmy\"/></geometry><inlets><inlet>" +
            condition +
            "<normal units=\"dimensionless\" value=\"(0,0,1)\"/><position units=\"lattice\" value=\"(11,7.5,1)\"/>"
            "</inlet></inlets><outlets><outlet>" +
            condition +
            "<normal units=\"dimensionless\" value=\"(0,0,-1)\"/><position units=\"lattice\" value=\"(11,7.5,28.75)\"/>"
            "</outlet></outlets><properties><propertyoutput file=\"wall.dat\" period=\"1\"><geometry "
            "type=\"surfacepoint\">"
            "<point units=\"m\" value=\"" +
            at + "\"/></geometry><field type=\"shearstress\"/></propertyoutput></properties></hemelbsettings>"));
    hemelb::fill_in_radii(c);
    return scratch.write(name, hemelb::case_text(c, {.file = "duct.gmy"}));
  };
  const auto count = [](const std::filesystem::path& file) {
    std::vector<std::int64_t> counts;
    run_in_process(2, [&](Transport& transport) {
      Case c;
      together(transport, [&] { c = read_case(file); });
      const auto sites = count_extracts(transport, c, make_vessel(transport, c)).sites;
      if (transport.rank() == 0) counts = sites;
    });
    return counts;
  };
  // The point is 0.8 below a layer of sites, half-way between two of its rows. In each row three sites are nearer than
  // 1.73, and in each of the rows beside these two, one site.
  EXPECT_EQ(count(point("(0.110, 0.2022, 0.3105)", "wall.toml")), (std::vector<std::int64_t>{8}));
  try {
    count(point("(0.110, 0.2072, 0.3105)", "inside.toml"));
    ADD_FAILURE() << "not refused";
  } catch (const InputError& e) {
    EXPECT_THAT(e.what(),
                HasSubstr("Extract 'wall' of shape surface meets no site of the vessel. Move it to the wall"));
  }
}

TEST(GmyFlow, nothing_is_extended) {
  const test::Scratch scratch;
  scratch.write("duct.gmy", hemelb::test::Duct{}.text());
  auto text = case_text("voxel = 0.001\norigin = [0.1, 0.2, 0.3]\n");
  text.replace(text.find("pressure = 0.001"), 16, "pressure = 0.001\nextension = \"3 diameters\"");
  EXPECT_THAT(refusal(scratch.write("duct.toml", text)),
              HasSubstr("extension in [[inlet]] is given, but duct.gmy has sites"));
}

TEST(GmyFlow, there_are_no_triangles) {
  const test::Scratch scratch;
  scratch.write("duct.gmy", hemelb::test::Duct{}.text());
  const auto file = scratch.write("duct.toml", case_text("voxel = 0.001\norigin = [0.1, 0.2, 0.3]\n") +
                                                   "[[extract]]\nname = \"tri\"\nshape = \"triangles\"\n");
  const auto said = refusal(file);
  EXPECT_THAT(said, HasSubstr("duct.toml:"));
  EXPECT_THAT(said, HasSubstr("Extract 'tri' needs the surface's triangles, but " +
                              (scratch.path() / "duct.gmy").string() + " has sites and no surface."));
}

TEST(GmyFlow, voxel_and_origin_of_an_older_file_need_not_be_given_but_must_agree) {
  const test::Scratch scratch;
  scratch.write("duct.gmy", hemelb::test::Duct{.version = 3}.text());
  auto c = read_case(scratch.write("duct.toml", case_text("")));
  EXPECT_EQ(c.surface.voxel, 0.001);
  EXPECT_EQ(*c.surface.origin, (geometry::Vector{0.1, 0.2, 0.3}));
  EXPECT_EQ(refusal(scratch.write("same.toml", case_text("voxel = \"1 mm\"\n"))), "");
  EXPECT_THAT(refusal(scratch.write("other.toml", case_text("voxel = 0.002\n"))), HasSubstr("has sites every 0.001 m"));
  EXPECT_THAT(refusal(scratch.write("else.toml", case_text("origin = [0.0, 0.0, 0.0]\n"))),
              HasSubstr("origin in [surface]"));
}

TEST(GmyFlow, a_file_without_voxel_needs_one) {
  const test::Scratch scratch;
  scratch.write("duct.gmy", hemelb::test::Duct{}.text());
  EXPECT_THAT(refusal(scratch.write("duct.toml", case_text(""))), HasSubstr("voxel"));
}

}  // namespace
}  // namespace weft::flow
