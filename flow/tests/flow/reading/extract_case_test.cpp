// SPDX-License-Identifier: BSD-3-Clause
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flow/case/case.hpp"
#include "flow/reading/case_reader.hpp"
#include "tests/support/gmy_writer.hpp"
#include "tests/support/scratch.hpp"
#include "weft/error.hpp"

namespace weft::flow {
namespace {

using testing::HasSubstr;
using enum FieldQuantity;

constexpr const char* head = R"(
surface = {file = "a.stl", unit = "mm", voxel = 1e-4}
run = {steps = 10}
[[inlet]]
name = "in"
centre = [0, 0, 0]
normal = [0, 0, 1]
radius = 2
velocity = 0.1
)";

/// The lines before the list of openings in the head, which belong to no section, and the lines behind it.
Case read(const std::string& before, const std::string& behind, const std::vector<std::string>& overrides = {}) {
  const test::Scratch scratch;
  return read_case(scratch.write("case.toml", before + head + behind), overrides);
}

std::string message(const std::string& text) {
  try {
    read(text.starts_with('[') ? "" : text, text.starts_with('[') ? text : "");
  } catch (const InputError& e) {
    return e.what();
  }
  return "no error";
}

TEST(ExtractCase, reads_all_shapes) {
  const auto c = read(R"(
output = {quantities = ["stress"]}
average = {every = "2 ms", start = 0.5}
extract = [
  {name = "all", shape = "whole", every = 5, quantities = ["von_mises", "viscosity"]},
  {shape = "surface"},
  {name = "cut", shape = "plane", centre = [1, 2, 3], normal = [0, 2, 0], radius = 4, every = "1 ms", format = "csv"},
  {shape = "line", from = [0, 0, 1], to = [0, 0, 9]},
  {shape = "point", at = [0, 0, 2], format = "vtkhdf"},
  {shape = "triangles", every = 3, unit = "surface", quantities = ["relative_residence_time", "wall_shear_stress_magnitude"]},
  {name = "metres", shape = "triangles"},
]
)",
                      R"([[section]]
centre = [0, 0, 5]
normal = [0, 0, 3]
radius = "1 mm"
)",
                      {"extract.cut.every=7", "section.0.radius=3"});
  using Shape = ExtractCase::Shape;
  using Format = ExtractCase::Format;
  EXPECT_EQ(c.output.quantities, (std::vector{stress}));
  ASSERT_EQ(c.extracts.size(), 7U);
  const auto& [all, surface, cut, line, point] =
      std::tie(c.extracts[0], c.extracts[1], c.extracts[2], c.extracts[3], c.extracts[4]);
  EXPECT_EQ(all.quantities, (std::vector{von_mises, viscosity}));
  EXPECT_EQ(all.every_steps, 5);
  EXPECT_EQ(surface.name, "surface1");
  EXPECT_EQ(surface.shape, Shape::surface);
  EXPECT_EQ(surface.quantities, (std::vector{pressure, wall_shear_stress}));
  EXPECT_EQ(surface.format, Format::vtkhdf);
  EXPECT_FALSE(surface.is_given());
  EXPECT_EQ(cut.normal, (geometry::Vector{0, 1, 0}));
  EXPECT_DOUBLE_EQ(cut.at[2], 3e-3);
  EXPECT_DOUBLE_EQ(*cut.radius, 4e-3);
  EXPECT_EQ(cut.every_steps, 7);
  EXPECT_EQ(cut.format, Format::csv);
  EXPECT_DOUBLE_EQ(line.to[2], 9e-3);
  EXPECT_EQ(line.format, Format::csv);
  EXPECT_EQ(point.format, Format::vtkhdf);
  const auto &triangles = c.extracts[5], &metres = c.extracts[6];
  EXPECT_EQ(triangles.name, "triangles5");
  EXPECT_EQ(triangles.metres_per_unit, 1e-3);
  EXPECT_EQ(triangles.quantities, (std::vector{relative_residence_time, wall_shear_stress_magnitude}));
  EXPECT_TRUE(triangles.needs_averages() && triangles.needs_walls() && triangles.needs_stress());
  EXPECT_EQ(metres.metres_per_unit, 1);
  EXPECT_EQ(metres.quantities, (std::vector{pressure, wall_shear_stress}));
  EXPECT_TRUE(all.needs_stress());
  EXPECT_FALSE(line.needs_stress());
  EXPECT_DOUBLE_EQ(*c.average.every_seconds, 2e-3);
  EXPECT_DOUBLE_EQ(c.average.start, 0.5);
  ASSERT_EQ(c.sections.size(), 1U);
  EXPECT_EQ(c.sections[0].name, "section0");
  EXPECT_DOUBLE_EQ(c.sections[0].radius, 3e-3);
}

TEST(ExtractCase, has_defaults) {
  const auto c = read("", "");
  EXPECT_TRUE(c.extracts.empty() && c.sections.empty());
  EXPECT_EQ(c.output.quantities, (std::vector{pressure, velocity}));
  EXPECT_EQ(c.average.every_steps, AverageCase::usual_steps);
}

TEST(ExtractCase, mistakes_are_told_with_their_place) {
  const std::vector<std::pair<std::string, std::string>> mistakes = {
      {"extract = 3", "case.toml:1: extract is a whole number. Write [[extract]], once for each."},
      {"[[extract]]\nname = 'a'", "key 'shape' is missing in [[extract]]"},
      {"[[extract]]\nshape = 'plain'", "'plain' (allowed: whole, surface, plane, line, point, centreline, triangles)"},
      {"[[extract]]\nshape = 'whole'\nradius = 3",
       "The key 'radius' is unknown in [[extract]] of shape whole (allowed: name, shape, every, quantities, format)"},
      {"[[extract]]\nshape = 'plane'\ncentre = [0, 0, 0]", "key 'normal' is missing in [[extract]] of shape plane"},
      {"[[extract]]\nshape = 'line'\nfrom = [0, 0, 0]", "key 'to' is missing in [[extract]] of shape line"},
      {"[[extract]]\nshape = 'whole'\nquantities = []",
       "quantities in [[extract]] of shape whole is empty. Give a list of: pressure, "},
      {"[[extract]]\nshape = 'whole'\nquantities = ['presure']", "'presure' (allowed: pressure, velocity, stress, "},
      {"[[extract]]\nshape = 'whole'\nquantities = [3]", "has a whole number (allowed: "},
      {"[[extract]]\nshape = 'whole'\nquantities = ['stress', 'stress']", "has 'stress' twice"},
      {"[[extract]]\nshape = 'whole'\nname = '../x'", "Use letters, digits, _ and - only"},
      {"[[extract]]\nshape = 'whole'\nname = 'fields'", "another output uses this name"},
      {"[[extract]]\nshape = 'whole'\nformat = 'vtk'", "'vtk' (allowed: vtkhdf, csv)"},
      {"[[extract]]\nshape = 'whole'\nname = 'a'\n[[extract]]\nshape = 'whole'\nname = 'a'",
       "Two extracts are called 'a'"},
      {"[[extract]]\nshape = 'centreline'\nquantities = ['pressure']",
       "The key 'quantities' is unknown in [[extract]] of shape centreline (allowed: name, shape, every, spacing)"},
      {"[[extract]]\nshape = 'centreline'\nspacing = 0", "spacing in [[extract]] of shape centreline"},
      {"[[extract]]\nshape = 'centreline'", "leads from one opening to another, but the case has 1"},
      {"[[extract]]\nshape = 'centreline'\nname = 'a'\n[[extract]]\nshape = 'line'\nname = 'a_average'\nfrom = [0, 0, "
       "0]\nto = [0, 0, 1]",
       "Extract 'a' is a centreline, which also writes a_average.csv"},
      {"[[extract]]\nshape = 'triangles'\nunit = 'mm'",
       "unit in [[extract]] of shape triangles is 'mm' (allowed: m, surface)"},
      {"[[extract]]\nshape = 'triangles'\nformat = 'csv'",
       "The key 'format' is unknown in [[extract]] of shape triangles (allowed: name, shape, every, quantities, unit)"},
      {"[[extract]]\nshape = 'triangles'\nquantities = ['velocity']",
       "has 'velocity' (allowed on a wall: pressure, wall_shear_stress, "},
      {"[[extract]]\nshape = 'surface'\nunit = 'm'", "The key 'unit' is unknown in [[extract]] of shape surface"},
      {"[[section]]\nname = 'in'\ncentre = [0, 0, 0]\nnormal = [0, 0, 1]\nradius = 1",
       "A section and an opening are both called 'in'"},
      {"[[section]]\ncentre = [0, 0, 0]\nnormal = [0, 0, 0]\nradius = 1", "normal in [[section]]"},
      {"[average]\nevery = 0", "every in [average] is 0"},
      {"[average]\nstart = '-1 s'", "start in [average]"},
  };
  for (const auto& [text, expected] : mistakes) {
    const auto said = message(text);
    EXPECT_THAT(said, HasSubstr(expected)) << text;
    EXPECT_THAT(said, HasSubstr("case.toml:")) << text;
  }
}

TEST(ExtractCase, a_centreline_needs_a_surface) {
  const test::Scratch scratch;
  scratch.write("b.gmy", hemelb::test::Duct{}.text());
  const auto file =
      scratch.write("case.toml", std::string(head) + "[[extract]]\nname = 'middle'\nshape = 'centreline'\n");
  const std::vector<std::string> overrides{"surface.file=b.gmy"};
  try {
    read_case(file, overrides);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("Extract 'middle' is a centreline, but b.gmy has no surface"));
  }
}

}  // namespace
}  // namespace weft::flow
