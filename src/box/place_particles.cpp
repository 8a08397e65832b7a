// SPDX-License-Identifier: BSD-3-Clause
#include "box/place_particles.hpp"

#include <random>

#include "box/solid_map.hpp"

namespace weft::dense {

bool place_particles(Case& c, const Particle& like, std::size_t count, std::uint64_t seed) {
  Space space{.dimensions = c.dimensions(), .block = {}};
  for (std::size_t a = 0; a < c.dimensions(); ++a) {
    space.extent[a] = c.size[a];
    space.periodic[a] = c.periodic[a];
  }
  const double gap = c.particles.repulsion_range;
  std::mt19937_64 numbers(seed);
  // Not std::uniform_real_distribution, whose results depend on the library.
  const auto random = [&] { return static_cast<double>(numbers() >> 11) * 0x1p-53; };
  auto& list = c.particles.list;
  for (std::size_t placed = 0, tries = 0; placed < count; ++tries) {
    if (tries > 1000 * count) return false;
    auto p = like;
    bool fits = true;
    for (std::size_t a = 0; a < c.dimensions(); ++a) {
      const double margin = c.periodic[a] ? 0 : like.radius + gap, room = static_cast<double>(c.size[a]) - 2 * margin;
      if (room <= 0) return false;
      p.position[a] = -0.5 + margin + room * random();
    }
    for (const auto& other : list) {
      std::array<double, 3> d{};
      for (std::size_t a = 0; a < c.dimensions(); ++a) d[a] = p.position[a] - other.position[a];
      d = nearest(space, d);
      const double apart = p.radius + other.radius + gap;
      fits = fits && d[0] * d[0] + d[1] * d[1] + d[2] * d[2] > apart * apart;
    }
    if (!fits) continue;
    list.push_back(p);
    ++placed;
  }
  return true;
}

}  // namespace weft::dense
