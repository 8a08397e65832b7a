// SPDX-License-Identifier: BSD-3-Clause
#include "box_program/case.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <unordered_map>

#include "box_program/solid_map.hpp"

namespace weft::box_program {
namespace {

/// Particles in cells at least as wide as the search distance, so that only neighbouring cells are searched.
class Cells {
 public:
  Cells(const Space& space, double reach) : space_(space) {
    constexpr double most = 1 << 20, slack = 1.001;  // tolerance for rounding
    for (std::size_t a = 0; a < space.dimensions; ++a) {
      const double wide = static_cast<double>(space.extent[a]) / (slack * reach);
      count_[a] = static_cast<std::int64_t>(std::clamp(std::floor(wide), 1.0, most));
    }
  }

  void add(const Particle& particle) { in_[key(cell_of(particle))].push_back(particle); }

  /// Whether every particle that may be within reach satisfies `is_fine`.
  template <class Check>
  bool all_near(const Particle& particle, const Check& is_fine) const {
    const auto centre = cell_of(particle);
    const std::size_t cells = space_.dimensions == 2 ? 9 : 27;
    for (std::size_t n = 0; n < cells; ++n) {
      auto cell = centre;
      bool inside = true;
      for (std::size_t a = 0, rest = (n + cells / 2) % cells; a < space_.dimensions;
           ++a, rest /= 3) {  // from the middle
        cell[a] += static_cast<std::int64_t>(rest % 3) - 1;
        if (space_.periodic[a]) cell[a] = (cell[a] + count_[a]) % count_[a];
        inside = inside && cell[a] >= 0 && cell[a] < count_[a];
      }
      const auto found = inside ? in_.find(key(cell)) : in_.end();
      if (found != in_.end() && !std::all_of(found->second.begin(), found->second.end(), is_fine)) return false;
    }
    return true;
  }

 private:
  using Cell = std::array<std::int64_t, 3>;

  Cell cell_of(const Particle& particle) const {
    Cell cell{};
    for (std::size_t a = 0; a < space_.dimensions; ++a) {
      const double part = (particle.position[a] + 0.5) / static_cast<double>(space_.extent[a]);
      cell[a] =
          std::clamp(static_cast<std::int64_t>(part * static_cast<double>(count_[a])), std::int64_t{0}, count_[a] - 1);
    }
    return cell;
  }
  std::int64_t key(const Cell& cell) const { return (cell[0] * count_[1] + cell[1]) * count_[2] + cell[2]; }

  Space space_;
  Cell count_{1, 1, 1};
  std::unordered_map<std::int64_t, std::vector<Particle>> in_;
};

/// Whether this many particles are possible: their spheres (discs), with half of the gap around each, don't overlap,
/// and the densest packings fill 74 % of space and 91 % of a plane.
bool may_fit(const Case& c, double radius, std::size_t count) {
  const double r = radius + c.particles.repulsion_range / 2, pi = std::numbers::pi;
  const bool flat = c.dimensions() == 2;
  double volume = flat ? 0.91 : 0.741;
  for (const auto n : c.size) volume *= static_cast<double>(n);
  return static_cast<double>(count) * (flat ? pi * r * r : 4.0 / 3 * pi * r * r * r) <= volume;
}

}  // namespace

bool place_particles(Case& c, const Particle& like, std::size_t count, std::uint64_t seed) {
  Space space{.dimensions = c.dimensions(), .block = {}};
  std::array<double, 3> margin{}, room{};
  const double gap = c.particles.repulsion_range;
  for (std::size_t a = 0; a < c.dimensions(); ++a) {
    space.extent[a] = c.size[a];
    space.periodic[a] = c.periodic[a];
    const auto n = static_cast<double>(c.size[a]);
    margin[a] = c.periodic[a] ? 0 : like.radius + gap;
    room[a] = n - 2 * margin[a];
    if (room[a] <= 0 || 2 * like.radius > n) return false;
  }
  if (!may_fit(c, like.radius, count)) return false;
  auto& list = c.particles.list;
  double largest = like.radius;
  for (const auto& p : list) largest = std::max(largest, p.radius);
  Cells cells(space, like.radius + largest + gap);
  for (const auto& p : list) cells.add(p);

  std::mt19937_64 numbers(seed);
  // Not std::uniform_real_distribution, whose results depend on the library.
  const auto random = [&] { return static_cast<double>(numbers() >> 11) * 0x1p-53; };
  // A thousand tries each for a thousand particles; with more particles, most need fewer. If a million tries in a row
  // fail, no place is left.
  constexpr std::size_t most_misses = 1'000'000;
  const std::size_t most_tries = 1000 * std::min<std::size_t>(count, 1000) + 50 * count;
  for (std::size_t placed = 0, tries = 0, misses = 0; placed < count; ++tries) {
    if (tries > most_tries || misses > most_misses) return false;
    auto p = like;
    for (std::size_t a = 0; a < c.dimensions(); ++a) p.position[a] = -0.5 + margin[a] + room[a] * random();
    const bool fits = cells.all_near(p, [&](const Particle& other) {
      std::array<double, 3> d{};
      for (std::size_t a = 0; a < c.dimensions(); ++a) d[a] = p.position[a] - other.position[a];
      d = nearest(space, d);
      const double apart = p.radius + other.radius + gap;
      return d[0] * d[0] + d[1] * d[1] + d[2] * d[2] > apart * apart;
    });
    ++misses;
    if (!fits) continue;
    misses = 0;
    cells.add(p);
    list.push_back(p);
    ++placed;
  }
  return true;
}

}  // namespace weft::box_program
