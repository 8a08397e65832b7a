// SPDX-License-Identifier: BSD-3-Clause
#include "box_program/case.hpp"

#include <cmath>
#include <limits>

#include "box_program/lattice_client.hpp"
#include "box_program/run.hpp"
#include "program/toml_reader.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace weft::fuzz {

namespace {

// So many particles that placing them takes as long as a thousand other inputs.
bool asks_for_many(const std::filesystem::path& file) {
  const auto root = program::read_toml(file);
  const auto* particles = std::get<program::Section>(root.data).find("particles");
  const auto* section = particles == nullptr ? nullptr : std::get_if<program::Section>(&particles->data);
  const auto* value = section == nullptr ? nullptr : section->find("count");
  const auto* count = value == nullptr ? nullptr : std::get_if<std::int64_t>(&value->data);
  constexpr std::int64_t many = 100, beyond_any = 10'000'000;
  return count != nullptr && *count > many && *count < beyond_any;
}

}  // namespace

void box_case(Bytes bytes) {
  const auto file = as_file(text_of(bytes), "box.toml");
  is_read(file, [&] {
    if (asks_for_many(file)) return;
    const auto c = box_program::read_case(file);
    expect(c.dimensions() == 2 || c.dimensions() == 3, "axes");
    expect(c.periodic.size() == c.dimensions(), "an axis that neither is periodic nor is not");
    expect_finite({c.fluid.tau, c.fluid.magic, c.fluid.bulk_tau, c.fluid.ghost_tau, c.start.speed, c.steady,
                   c.particles.repulsion_range, c.particles.repulsion_strength},
                  "a number");
    expect_finite(c.fluid.force, "a force");
    expect_finite(c.start.velocity, "a velocity");
    expect_finite(c.particles.gravity, "gravity");
    for (const auto& axis : c.wall_velocity)
      for (const auto& wall : axis) expect_finite(wall, "a wall's velocity");
    for (const auto& p : c.particles.list) {
      expect_finite(p.position, "a position");
      expect_finite(p.velocity, "a particle's velocity");
      expect_finite(p.spin, "a spin");
      expect(p.radius > 0 && p.density > 0, "a particle without radius or density");
      for (std::size_t a = 0; a < c.dimensions(); ++a)
        expect(p.position[a] >= -0.5 && p.position[a] <= static_cast<double>(c.size[a]) - 0.5, "a particle outside");
    }
    box_program::find_problems(c);
    std::int64_t sites = 1;
    for (const auto n : c.size) {
      expect(n >= 1 && n <= static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max() / sites),
             "too many sites");
      sites *= static_cast<std::int64_t>(n);
    }
    const auto layout = box_program::make_layout(c, 0, 1);
    constexpr std::int64_t few = 10'000;
    if (sites > few) return;
    box_program::initial_state(c, {0, 0, 0});
    box_program::SolidMap(layout.space).rebuild(c.particles.list);
  });
}

}  // namespace weft::fuzz
