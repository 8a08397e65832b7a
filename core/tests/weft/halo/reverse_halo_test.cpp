// SPDX-License-Identifier: BSD-3-Clause
//
// Reverse halo exchange: ghosts that were written are sent to their owners. Each point of the block that a neighbour
// wrote then has that value, and no other point changes. (With by_dimension, values pass through ghosts on their way;
// these may change.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "tests/support/core_ranks.hpp"
#include "tests/support/halo_fields.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using Point = std::array<long, 3>;

class Written {
 public:
  Written(const CartesianGrid& grid, std::vector<Direction> velocities, std::size_t pitch)
      : grid_(grid), velocities_(std::move(velocities)), pitch_(pitch) {
    for (std::size_t a = 0; a < 3; ++a) extent_[a] = grid.block().count[a] + (a < grid.dimensions() ? 2 : 0);
    row_axis_ = grid.dimensions() - 1;
    if (pitch_ > 0) extent_[row_axis_] = pitch_;
    memory_.resize(extent_[0] * extent_[1] * extent_[2] * velocities_.size());
  }

  Field field() {
    auto f = structure_of_arrays(memory_.data(), velocities_.size());
    f.velocities = velocities_;
    f.pitch = pitch_;
    return f;
  }

  // A point that its writing rank determines has the point's number; in the block, if another rank writes the point, a
  // wrong value.
  void write() {
    visit([&](const Point& p, std::size_t c, double& value) {
      const auto writer = plus(p, velocities_[c]);
      if (in_block(writer))
        value = number(p, c);
      else
        value = in_block(p) ? -2 - number(p, c) : -1;
    });
  }

  void expect_given_back(const Halo& halo) {
    visit([&](const Point& p, std::size_t c, const double& value) {
      if (!in_block(p)) return;
      const auto writer = plus(p, velocities_[c]);
      const bool exists = in_grid(writer);
      EXPECT_EQ(value, exists ? number(p, c) : -2 - number(p, c))
          << "point " << p[0] << ' ' << p[1] << ' ' << p[2] << " component " << c << " on rank " << grid_.rank() << "\n"
          << halo.describe();
    });
  }

 private:
  static Point plus(Point p, const Direction& v) {
    for (std::size_t a = 0; a < 3; ++a) p[a] += v[a];
    return p;
  }
  bool in_block(const Point& p) const {
    for (std::size_t a = 0; a < 3; ++a)
      if (p[a] < 0 || p[a] >= static_cast<long>(grid_.block().count[a])) return false;
    return true;
  }
  bool in_grid(const Point& p) const {
    for (std::size_t a = 0; a < 3; ++a) {
      const auto at = static_cast<long>(grid_.block().first[a]) + p[a];
      if (!grid_.is_periodic(a) && (at < 0 || at >= static_cast<long>(grid_.extent()[a]))) return false;
    }
    return true;
  }
  double number(const Point& p, std::size_t c) const {
    long s = 0;
    for (std::size_t a = 0; a < 3; ++a) {
      const auto n = static_cast<long>(grid_.extent()[a]);
      s = s * n + ((static_cast<long>(grid_.block().first[a]) + p[a]) % n + n) % n;
    }
    return static_cast<double>(s * static_cast<long>(velocities_.size()) + static_cast<long>(c));
  }
  template <class Visit>
  void visit(const Visit& visitor) {
    Point low{}, high{};
    for (std::size_t a = 0; a < 3; ++a) {
      low[a] = a < grid_.dimensions() ? -1 : 0;
      high[a] = static_cast<long>(grid_.block().count[a]) - low[a];
    }
    for (std::size_t c = 0; c < velocities_.size(); ++c)
      for (long x = low[0]; x < high[0]; ++x)
        for (long y = low[1]; y < high[1]; ++y)
          for (long z = low[2]; z < high[2]; ++z) {
            const auto at = [&](std::size_t a, long p) { return static_cast<std::size_t>(p - low[a]); };
            const auto s = (at(0, x) * extent_[1] + at(1, y)) * extent_[2] + at(2, z);
            visitor({x, y, z}, c, memory_[c * extent_[0] * extent_[1] * extent_[2] + s]);
          }
  }

  CartesianGrid grid_;
  std::vector<Direction> velocities_;
  std::size_t pitch_, row_axis_ = 2;
  Index extent_{};
  std::vector<double> memory_;
};

const std::vector<Direction> d2q9{{0, 0, 0}, {1, 0, 0},   {-1, 0, 0}, {0, 1, 0}, {0, -1, 0},
                                  {1, 1, 0}, {-1, -1, 0}, {1, -1, 0}, {-1, 1, 0}};
std::vector<Direction> d3q27() {
  auto all = directions_of(3);
  all.insert(all.begin(), Direction{});
  return all;
}

void try_grid(int ranks, const GridOptions& options, const std::vector<Direction>& velocities, std::size_t pitch = 0,
              const InProcessOptions& arrival = {}) {
  run_in_process(
      ranks,
      [&](Transport& world) {
        CartesianGrid grid(world, options);
        Written written(grid, velocities, pitch);
        for (const auto scheme : {HaloOptions::Scheme::direct, HaloOptions::Scheme::by_dimension})
          for (const auto payload : {HaloOptions::Payload::whole, HaloOptions::Payload::reduced}) {
            Halo halo(grid, {.scheme = scheme, .payload = payload, .flow = HaloOptions::Flow::reverse});
            halo.add(written.field());
            HaloExchange exchange(world, halo);
            for (int step = 0; step < 2; ++step) {
              written.write();
              exchange.start();
              exchange.finish();
              written.expect_given_back(halo);
            }
          }
      },
      arrival);
}

TEST(HaloGiveBack, every_place_has_its_writer_s_value) {
  for (const auto& periodic : {std::vector<bool>{true, true, true}, {}, {false, true, true}, {true, false, true}})
    for (const auto& velocities : {d3q19, d3q27()}) {
      try_grid(1, {.extent = {3, 4, 2}, .processes = {1, 1, 1}, .periodic = periodic}, velocities);
      try_grid(2, {.extent = {5, 4, 3}, .processes = {2, 1, 1}, .periodic = periodic}, velocities, 8);
      try_grid(4, {.extent = {5, 3, 4}, .processes = {1, 2, 2}, .periodic = periodic}, velocities);
      try_grid(8, {.extent = {5, 3, 4}, .processes = {2, 2, 2}, .periodic = periodic}, velocities, 5);
    }
}

TEST(HaloGiveBack, in_two_dimensions) {
  for (const auto& periodic : {std::vector<bool>{true, true}, {false, true}}) {
    try_grid(1, {.extent = {3, 4}, .periodic = periodic}, d2q9, 7);
    try_grid(4, {.extent = {5, 4}, .processes = {2, 2}, .periodic = periodic}, d2q9);
  }
}

TEST(HaloGiveBack, messages_arrive_in_any_order) {
  try_grid(8, {.extent = {5, 3, 4}, .processes = {2, 2, 2}, .periodic = {true, true, true}}, d3q27(), 0,
           random_arrival(3));
}

TEST(HaloGiveBack, two_fields_of_many_components) {
  run_in_process(1, [](Transport& world) {
    const CartesianGrid grid(world, {.extent = {2, 2}, .periodic = {true, true}});
    Written one(grid, std::vector<Direction>(1100, {1, 0, 0}), 0), other(grid, std::vector<Direction>(3, {1, 0, 0}), 0);
    Halo halo(grid, {.payload = HaloOptions::Payload::reduced, .flow = HaloOptions::Flow::reverse});
    halo.add(one.field());
    halo.add(other.field());
    EXPECT_NO_THROW(HaloExchange(world, halo));  // each part has a key of its own
  });
}

TEST(HaloGiveBack, needs_to_know_who_wrote) {
  CartesianGrid grid(0, 1, {.extent = {4, 4, 4}, .periodic = {true}});
  std::vector<double> memory(19 * 6 * 6 * 6);
  Halo halo(grid, {.flow = HaloOptions::Flow::reverse});
  EXPECT_THROW(halo.add(structure_of_arrays(memory.data(), 19)), Error);
  auto padded = structure_of_arrays(memory.data(), 19);
  padded.pitch = 5;
  EXPECT_THROW(Halo(grid).add(padded), Error);
  EXPECT_THROW(Halo(grid, {.scheme = HaloOptions::Scheme::reference, .flow = HaloOptions::Flow::reverse}), Error);
}

TEST(HaloGiveBack, a_velocity_beyond_the_width_is_refused) {
  const CartesianGrid grid(0, 1, {.extent = {8, 8}, .periodic = {true, true}});
  std::vector<double> memory(2 * 12 * 12);
  const auto refusal = [&](const Direction& velocity, std::size_t width) -> std::string {
    auto field = structure_of_arrays(memory.data(), 2);
    field.velocities = {{0, 0, 0}, velocity};
    try {
      Halo(grid, {.width = width}).add(field);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(refusal({2, -2, 0}, 2), "");
  EXPECT_THAT(refusal({0, -2, 0}, 1),
              ::testing::HasSubstr("a velocity of (0, -2, 0), but the halo has 1 layers along axis 1"));
  EXPECT_THAT(refusal({0, 0, 1}, 1), ::testing::HasSubstr("the halo has 0 layers along axis 2"));
}

// Each rank adds to all points of its block and to its ghosts; the owners then have the sums over all ranks. Integers,
// so that the order of by_dimension, which adds on the way, makes no difference.
TEST(HaloGiveBack, adds_ghosts_to_their_owners) {
  const auto try_adding = [](int ranks, const GridOptions& options, std::size_t width) {
    run_in_process(ranks, [&](Transport& world) {
      CartesianGrid grid(world, options);
      Index extent{1, 1, 1};
      for (std::size_t a = 0; a < grid.dimensions(); ++a) extent[a] = grid.block().count[a] + 2 * width;
      const auto sites = extent[0] * extent[1] * extent[2];
      for (const auto scheme : {HaloOptions::Scheme::direct, HaloOptions::Scheme::by_dimension}) {
        std::vector<double> values(2 * sites);
        auto field = array_of_structures(values.data(), 2);
        field.combine = sum<double>();
        Halo halo(grid, {.width = width, .scheme = scheme, .flow = HaloOptions::Flow::reverse});
        halo.add(field);
        HaloExchange exchange(world, halo);
        // A point's number in the whole grid, or none beyond its edge.
        const auto number = [&](const Index& p) -> long {
          long n = 0;
          for (std::size_t a = 0; a < 3; ++a) {
            const auto layers = a < grid.dimensions() ? static_cast<long>(width) : 0;
            const auto all = static_cast<long>(grid.extent()[a]);
            const auto at = static_cast<long>(grid.block().first[a] + p[a]) - layers;
            if ((at < 0 || at >= all) && !grid.is_periodic(a)) return -1;
            n = n * all + (at + 2 * all) % all;
          }
          return n;
        };
        std::vector<double> sums(2 * grid.extent()[0] * grid.extent()[1] * grid.extent()[2]);
        const auto visit = [&](const auto& visitor) {
          std::size_t s = 0;
          Index p;
          for (p[0] = 0; p[0] < extent[0]; ++p[0])
            for (p[1] = 0; p[1] < extent[1]; ++p[1])
              for (p[2] = 0; p[2] < extent[2]; ++p[2], ++s) visitor(p, s);
        };
        for (int step = 0; step < 2; ++step) {
          std::fill(sums.begin(), sums.end(), 0);
          visit([&](const Index& p, std::size_t s) {
            for (std::size_t c = 0; c < 2; ++c) {
              const auto n = number(p);
              values[2 * s + c] =
                  static_cast<double>(1 + (s * 7 + c * 3 + static_cast<std::size_t>(world.rank())) % 11);
              if (n >= 0) sums[2 * static_cast<std::size_t>(n) + c] += values[2 * s + c];
            }
          });
          const auto mine = sums;
          detail::run_collective(world,
                                 Collective::all_reduce(std::span<const double>(mine), std::span(sums), sum<double>()));
          exchange.start();
          exchange.finish();
          visit([&](const Index& p, std::size_t s) {
            for (std::size_t a = 0; a < grid.dimensions(); ++a)
              if (p[a] < width || p[a] >= width + grid.block().count[a]) return;
            for (std::size_t c = 0; c < 2; ++c)
              EXPECT_EQ(values[2 * s + c], sums[2 * static_cast<std::size_t>(number(p)) + c]) << halo.describe();
          });
        }
      }
    });
  };
  for (const auto& periodic : {std::vector<bool>{true, true, true}, {}, {false, true, false}}) {
    try_adding(1, {.extent = {3, 4, 2}, .periodic = periodic}, 1);
    try_adding(4, {.extent = {5, 4, 3}, .processes = {2, 2, 1}, .periodic = periodic}, 1);
    try_adding(8, {.extent = {5, 4, 6}, .processes = {2, 2, 2}, .periodic = periodic}, 2);  // both ends of a block meet
  }
  try_adding(3, {.extent = {7}, .periodic = {true}}, 2);
  try_adding(4, {.extent = {4, 6}, .processes = {4, 1}, .periodic = {true, false}}, 1);
}

}  // namespace
}  // namespace weft
