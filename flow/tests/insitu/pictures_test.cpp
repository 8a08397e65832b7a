// SPDX-License-Identifier: BSD-3-Clause
//
// No bit of a picture depends on the number of ranks, on the owners of the blocks, or on the instruction set.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "flow/tests/insitu/picture_run.hpp"
#include "insitu/scene.hpp"

namespace weft::insitu {
namespace {

std::vector<std::pair<std::string, Scene>> scenes() {
  std::vector<std::pair<std::string, Scene>> all;
  const auto add = [&](const std::string& name, auto&& change) {
    Scene scene;
    scene.width = scene.height = 80;
    change(scene);
    all.emplace_back(name, scene);
  };
  add("volume and glass", [](Scene&) {});
  add("volume alone, from above", [](Scene& s) { s.wall = Wall::off, s.opacity = 0.9F, s.camera.elevation = 90; });
  add("solid wall",
      [](Scene& s) { s.wall = Wall::solid, s.quantity = Quantity::pressure, s.map = ColourMap::diverging; });
  add("along an axis", [](Scene& s) { s.camera.azimuth = 0, s.camera.elevation = 0; });
  add("plane", [](Scene& s) { s.plane = true, s.plane_normal = {1, 1, 0}, s.plane_at = 0.4F; });
  add("streamlines in glass", [](Scene& s) { s.streamlines = true, s.opacity = 0.2F; });
  add("wall shear stress", [](Scene& s) { s.quantity = Quantity::wall_shear_stress; });
  add("near, and moved aside", [](Scene& s) { s.camera.zoom = 3, s.camera.pan = {0.2, -0.1}; });
  return all;
}

TEST(Pictures, are_the_same_on_any_number_of_ranks) {
  for (const auto& [name, scene] : scenes()) {
    const auto one = picture_on(1, {.scene = scene});
    EXPECT_GT(one.segments.size(), 350u) << name;
    for (const int ranks : {2, 3, 4, 8}) {
      const auto several = picture_on(ranks, {.scene = scene});
      EXPECT_EQ(one.segments, several.segments) << name << ", " << ranks << " ranks";
      EXPECT_EQ(one.range.low, several.range.low);
      EXPECT_EQ(one.range.high, several.range.high);
    }
  }
}

TEST(Pictures, do_not_depend_on_how_they_are_made) {
  const auto scene = scenes().front().second;
  const auto reference = picture_on(3, {.scene = scene});
  constexpr auto swap = CompositeWay::binary_swap, direct = CompositeWay::direct_send;
  const std::vector<PictureRun> runs = {{scene, swap, true, 256, 1e9},
                                        {scene, direct, true, 256, 0.2},
                                        {scene, swap, false, 1 << 20, 0.2},
                                        {scene, direct, false, 4096, 1e9},
                                        {scene, direct, true, 1 << 20, 1e9}};
  for (const auto& run : runs)
    EXPECT_EQ(reference.segments, picture_on(3, run).segments)
        << name_of(run.way) << ", chunks of " << run.chunk_bytes << ", share " << run.share
        << (run.coalesce ? "" : ", not coalesced");
}

TEST(Pictures, are_the_same_with_any_instruction_set) {
  const test::ShapeDomains domains(helix(), 1, test::deal_scattered);
  run_in_process(1, [&](Transport& transport) {
    const auto& domain = domains.all()[0];
    const Bricks bricks(transport, domain);
    NodeField field(bricks, 1);
    for (std::size_t k = 0; k < domain.sites.size(); ++k)  // holes too
      field.values()[k] = k % 97 == 0 ? NAN : known_value(domain.sites[k]);
    StepManager manager(transport);
    manager.add("values", field);
    manager.run_step();
    for (const auto& [name, scene] : scenes()) {
      const auto with = [&, s = scene](Caster::Kernel kernel) {
        Caster caster(bricks, field, s, {0, 1.5F}, 15, kernel);
        if (s.streamlines) {
          std::vector<LinePoint> line;
          for (std::uint32_t i = 0; i < 40; ++i) {
            const auto z = static_cast<float>(i);
            line.push_back({0, i, {25.5F + 14 * std::cos(0.12F * z), 25.5F + 14 * std::sin(0.12F * z), 3 + z}, 1});
          }
          caster.add(line);
        }
        while (caster.cast_next()) continue;
        return caster.take();
      };
      const auto best = with(Caster::Kernel::best);
      EXPECT_GT(best.colours.size(), 350u) << name;
      EXPECT_EQ(best, with(Caster::Kernel::generic)) << name;
    }
  });
}

TEST(Pictures, say_what_they_show) {
  const auto scene = scenes().front().second;
  const auto picture = picture_on(2, {.scene = scene});
  EXPECT_EQ(picture.step, 7);
  EXPECT_EQ(picture.tag, 3u);
  EXPECT_EQ(picture.scene.width, 80);
  EXPECT_EQ(picture.range.low, 0);
  EXPECT_GT(picture.range.high, 0.5F);
}

TEST(Pictures, have_the_range_that_was_asked_for) {
  auto scene = scenes().front().second;
  scene.low = -1;
  scene.high = 3;
  const auto picture = picture_on(2, {.scene = scene});
  EXPECT_EQ(picture.range.low, -1);
  EXPECT_EQ(picture.range.high, 3);
}

// A solid ball in the middle: its outline agrees with geometry to 1.5 pixels.
TEST(Pictures, show_things_where_they_are) {
  test::Shape ball;
  ball.extent = {40, 40, 40};
  ball.inside = [](const geometry::Vector& v) { return std::hypot(v[0] - 25, v[1] - 18, v[2] - 15) < 10.5; };
  Scene scene;
  scene.wall = Wall::solid;
  scene.width = 120;
  scene.height = 100;
  const auto picture = picture_on(3, {.scene = scene}, ball);
  const auto projection = make_projection(scene, ball.extent);
  const auto centre = projection.project({25, 18, 15});
  const float radius = 10.5F / projection.voxels_per_pixel();
  std::vector<char> seen(12000);
  for (const auto& s : picture.segments) {
    EXPECT_EQ(s.colour[3], 65535);
    seen[s.pixel] = 1;
  }
  for (int row = 0; row < scene.height; ++row)
    for (int column = 0; column < scene.width; ++column) {
      const float distance = std::hypot(static_cast<float>(column) - centre[0], static_cast<float>(row) - centre[1]);
      const bool is_seen = seen[static_cast<std::size_t>(row * scene.width + column)] != 0;
      if (distance < radius - 1.5F) {
        EXPECT_TRUE(is_seen) << column << " " << row;
      }
      if (distance > radius + 1.5F) {
        EXPECT_FALSE(is_seen) << column << " " << row;
      }
    }
}

// The light that passes a slab of constant opacity: the definition of `opacity` in the documentation.
TEST(Pictures, let_through_as_much_as_opacity_says) {
  test::Shape slab;
  slab.extent = {40, 40, 40};
  slab.inside = [](const geometry::Vector& v) {
    return v[0] >= 8 && v[0] < 32 && v[1] >= 8 && v[1] < 32 && v[2] >= 8 && v[2] < 32;
  };
  Scene scene;
  scene.wall = Wall::off;
  scene.quantity = Quantity::pressure;
  scene.camera = {.azimuth = 0, .elevation = 0};
  scene.width = scene.height = 64;
  scene.opacity = 0.4F;
  const auto picture = picture_on(2, {.scene = scene}, slab);
  const auto projection = make_projection(scene, slab.extent);
  const auto middle = projection.project({19.5F, 19.5F, 19.5F});
  const auto pixel = static_cast<std::uint32_t>(std::lround(middle[1]) * scene.width + std::lround(middle[0]));
  const auto found = std::find_if(picture.segments.begin(), picture.segments.end(),
                                  [&](const Segment& s) { return s.pixel == pixel; });
  ASSERT_NE(found, picture.segments.end());
  // 4 V / S, with the staircase's surface corrected to that of a tube: 16 * 1.27 voxels here, and the ray passes
  // through 24.
  const double width = 4.0 * 24 * 24 * 24 * 1.27 / (6 * 24 * 24);
  EXPECT_NEAR(found->colour[3] / 65535.0, 1 - std::pow(1 - 0.4, 24 / width), 0.03);
}

TEST(Projection, turns_as_the_camera_says) {
  const std::array<std::int32_t, 3> extent{11, 11, 11};
  Scene scene;
  scene.camera = {.azimuth = 0, .elevation = 0};
  auto p = make_projection(scene, extent);
  EXPECT_NEAR(p.direction[1], -1, 1e-6);  // along -y
  EXPECT_LT(p.down[2], 0);                // z upwards
  const auto middle = p.project({5, 5, 5});
  EXPECT_NEAR(middle[0], 0.5F * static_cast<float>(scene.width - 1), 1e-2);
  EXPECT_NEAR(middle[1], 0.5F * static_cast<float>(scene.height - 1), 1e-2);
  scene.camera.elevation = 90;
  p = make_projection(scene, extent);
  EXPECT_NEAR(p.direction[2], -1, 1e-6);  // from above
}

}  // namespace
}  // namespace weft::insitu
