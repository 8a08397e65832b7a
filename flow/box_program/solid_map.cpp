// SPDX-License-Identifier: BSD-3-Clause
#include "box_program/solid_map.hpp"

#include <algorithm>
#include <cmath>

namespace weft::box_program {

std::array<double, 3> nearest(const Space& space, std::array<double, 3> difference) {
  for (std::size_t a = 0; a < 3; ++a)
    if (space.periodic[a]) {
      const auto n = static_cast<double>(space.extent[a]);
      difference[a] -= n * std::round(difference[a] / n);
    }
  return difference;
}

SolidMap::SolidMap(const Space& space) : space_(space) {
  for (std::size_t a = 0; a < 3; ++a) {
    layer_[a] = a < space.dimensions && !space.wraps[a] ? 1 : 0;
    size_[a] = space.block.count[a] + 2 * layer_[a];
  }
  stride_ = {static_cast<std::ptrdiff_t>(size_[1] * size_[2]), static_cast<std::ptrdiff_t>(size_[2]), 1};
  now_.assign(size_[0] * size_[1] * size_[2], fluid);
  before_ = now_;
}

// Visits the sites of the block and its ghosts that a particle, or a periodic image of it, covers.
template <class Visit>
void SolidMap::for_each_site(const Particle& particle, const Visit& visit) const {
  std::array<int, 3> images{};  // on each side
  for (std::size_t a = 0; a < 3; ++a) images[a] = space_.periodic[a] ? 1 : 0;
  const double r = particle.radius, r2 = r * r;
  for (int ix = -images[0]; ix <= images[0]; ++ix)
    for (int iy = -images[1]; iy <= images[1]; ++iy)
      for (int iz = -images[2]; iz <= images[2]; ++iz) {
        const std::array<int, 3> image{ix, iy, iz};
        std::array<double, 3> centre{};
        Site first{}, last{};
        bool any = true;
        for (std::size_t a = 0; a < 3; ++a) {
          const auto n = static_cast<double>(space_.extent[a]), origin = static_cast<double>(space_.block.first[a]);
          if (a >= space_.dimensions) continue;
          centre[a] = particle.position[a] + image[a] * n - origin;
          // Beyond a wall there are no sites.
          const auto ghosts = static_cast<double>(layer_[a]),
                     end = static_cast<double>(space_.block.count[a]) - 1 + ghosts;
          const auto low = space_.periodic[a] ? -ghosts : std::max(-ghosts, -origin);
          const auto high = space_.periodic[a] ? end : std::min(end, n - 1 - origin);
          first[a] = static_cast<std::ptrdiff_t>(std::max(low, std::ceil(centre[a] - r)));
          last[a] = static_cast<std::ptrdiff_t>(std::min(high, std::floor(centre[a] + r)));
          any = any && first[a] <= last[a];
        }
        if (!any) continue;
        Site s{};
        for (s[0] = first[0]; s[0] <= last[0]; ++s[0])
          for (s[1] = first[1]; s[1] <= last[1]; ++s[1])
            for (s[2] = first[2]; s[2] <= last[2]; ++s[2]) {
              double d2 = 0;
              for (std::size_t a = 0; a < space_.dimensions; ++a) {
                const double d = static_cast<double>(s[a]) - centre[a];
                d2 += d * d;
              }
              if (d2 < r2) visit(s, d2);
            }
      }
}

void SolidMap::rebuild(std::span<const Particle> particles) {
  std::swap(now_, before_);
  std::swap(solid_, was_solid_);
  for (const auto& s : solid_) now_[index(s.site)] = fluid;  // of the previous rebuild
  solid_.clear();
  covered_.clear();
  uncovered_.clear();
  surface_.clear();
  for (std::size_t p = 0; p < particles.size(); ++p) {
    // No link is longer than the square root of 3: deeper sites are surrounded by solid ones.
    const double depth = std::max(0.0, particles[p].radius - std::sqrt(3.0));
    for_each_site(particles[p], [&](const Site& site, double distance_squared) {
      auto& mark = now_[index(site)];
      if (mark != fluid) return;  // the first of two overlapping particles
      mark = static_cast<std::int32_t>(p);
      solid_.push_back({site, mark});
      if (distance_squared >= depth * depth) surface_.push_back({site, mark});
      if (before_[index(site)] == fluid) covered_.push_back({site, mark});
    });
  }
  for (const auto& s : was_solid_)
    if (now_[index(s.site)] == fluid) uncovered_.push_back(s);
}

}  // namespace weft::box_program
