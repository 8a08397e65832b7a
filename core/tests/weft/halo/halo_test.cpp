// SPDX-License-Identifier: BSD-3-Clause
//
// A halo alone and as a client, its description and its errors; over any transport.
#include "weft/halo/halo.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "tests/support/core_ranks.hpp"
#include "tests/support/halo_fields.hpp"
#include "weft/step/step_manager.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using ::testing::HasSubstr;
using ::testing::Not;
using Scheme = HaloOptions::Scheme;
using Payload = HaloOptions::Payload;

Halo with_options(const Halo& halo, const HaloOptions& options) {
  Halo other(halo.grid(), options);
  for (const auto& placed : halo.fields()) other.add(placed.field());
  return other;
}

TEST(Halo, fills_every_ghost_in_every_way) {
  on(any_ranks, [](Transport& world) {
    expect_all_ways(world, {.extent = {9, 8, 6}, .periodic = {true, true, true}}, 2);
    expect_all_ways(world, {.extent = {5, 6, 5}, .periodic = {false, true}}, 1);
    expect_all_ways(world, {.extent = {9}}, 2);
    expect_all_ways(world, {.extent = {6, 7}, .periodic = {true}}, 1);
  });
}

TEST(Halo, fills_every_ghost_with_every_carrier) {
  on(any_ranks, [](Transport& world) {
    const CartesianGrid grid(world, {.extent = {6, 5, 4}, .periodic = {true, false, true}});
    const auto fields = all_kinds(grid, 1);
    for (const auto scheme : {Scheme::direct, Scheme::by_dimension}) {
      const auto halo = halo_of(grid, {.scheme = scheme, .payload = Payload::reduced}, fields);
      for (const auto carrier : carriers_of(world))
        for (const auto grouping : {Grouping::per_peer, Grouping::per_part}) {
          HaloExchange exchange(world, halo, {.messages = {.grouping = grouping, .carrier = carrier}});
          EXPECT_THAT(exchange.describe(), HasSubstr(std::string(", carried as ") + name_of(carrier)));
          for (int step = 0; step < 2; ++step) {
            for (const auto& f : fields) f->fill(step);
            exchange.start();
            exchange.finish();
            for (std::size_t f = 0; f < fields.size(); ++f) fields[f]->expect(halo, f, step);
          }
        }
    }
  });
}

// Three arrays of the same shape, one of which each step uses, and one fixed array.
TEST(Halo, fills_the_array_that_a_field_moved_to) {
  on(any_ranks, [](Transport& world) {
    const CartesianGrid grid(world, {.extent = {6, 5, 4}, .periodic = {true, false, true}});
    const std::vector<std::vector<std::unique_ptr<TestField>>> arrays = [&] {
      std::vector<std::vector<std::unique_ptr<TestField>>> all;
      for (int i = 0; i < 3; ++i) all.push_back(all_kinds(grid, 1));
      return all;
    }();
    const auto fixed = all_kinds(grid, 1);
    for (const auto scheme : {Scheme::direct, Scheme::by_dimension, Scheme::reference})
      for (const auto carrier : carriers_of(world))
        for (std::size_t kind = 0; kind < fixed.size(); ++kind) {
          Halo halo(grid, {.scheme = scheme, .payload = Payload::reduced});
          auto field = arrays[0][kind]->field();
          field.moves = true;
          halo.add(field);
          halo.add(fixed[kind]->field());
          HaloExchange exchange(world, halo, {.messages = {.carrier = carrier}});
          HaloClient client(halo);
          StepManager steps(world, {.messages = {.carrier = carrier}});
          if (scheme != Scheme::reference) steps.add("halo", client);
          for (int step = 0; step < 4; ++step) {
            auto& array = *arrays[static_cast<std::size_t>(step * step + 1) % 3][kind];
            const auto check = [&](const auto& run) {
              array.fill(step);
              fixed[kind]->fill(step);
              run();
              array.expect(halo, 0, step);
              fixed[kind]->expect(halo, 1, step);
            };
            exchange.rebind(0, array.field().data);
            check([&] {
              exchange.start();
              exchange.finish();
            });
            if (scheme == Scheme::reference) continue;
            client.rebind(steps, 0, array.field().data);
            check([&] { steps.run_step(); });
          }
          EXPECT_THAT(error_of([&] { exchange.rebind(1, fixed[kind]->field().data); }),
                      HasSubstr("Field 1 of a halo can't be moved"));
        }
  });
}

// Neighbours read arrays in memory that the ranks of a node share.
TEST(Halo, fills_ghosts_from_arrays_that_ranks_share) {
  on(any_ranks, [](Transport& world) {
    const CartesianGrid grid(world, {.extent = {9, 8, 7}, .periodic = {true, true, false}});
    const auto count = grid.block().count;
    const auto points = (count[0] + 2) * (count[1] + 2) * (count[2] + 2);
    const std::shared_ptr<SharedMemory> memory = world.share(3 * points * sizeof(double));
    auto* shared = reinterpret_cast<double*>(memory->at(world.rank()));
    std::vector<double> own(3 * points);
    for (const auto scheme : {Scheme::direct, Scheme::by_dimension}) {
      Halo of_shared(grid, {.scheme = scheme}), of_own(grid, {.scheme = Scheme::reference});
      of_shared.add(array_of_structures(shared, 3));
      of_own.add(array_of_structures(own.data(), 3));
      HaloExchange exchange(world, of_shared, {.messages = {.shared_memory = true}, .memory = memory});
      HaloExchange reference(world, of_own);
      for (int step = 0; step < 5; ++step) {
        for (std::size_t i = 0; i < 3 * points; ++i)
          shared[i] = own[i] = 1e6 * step + 1e4 * world.rank() + static_cast<double>(i);
        exchange.start();
        exchange.finish();
        reference.start();
        reference.finish();
        EXPECT_TRUE(std::equal(own.begin(), own.end(), shared)) << "step " << step;
      }
    }
  });
}

// Ghosts keep their values until finish(), in each round.
TEST(Halo, may_hold_what_arrives) {
  on(any_ranks, [](Transport& world) {
    const CartesianGrid grid(world, {.extent = {6, 5, 4}, .periodic = {true, false, true}});
    const auto fields = all_kinds(grid, 1);
    for (const auto scheme : {Scheme::direct, Scheme::by_dimension}) {
      const auto halo = halo_of(grid, {.scheme = scheme, .payload = Payload::directions}, fields);
      for (const auto carrier : carriers_of(world)) {
        HaloExchange exchange(world, halo, {.messages = {.carrier = carrier, .defer_unpacking = true}});
        for (int step = 0; step < 3; ++step) {
          for (const auto& f : fields) f->fill(step);
          exchange.start();
          exchange.finish();
          for (std::size_t f = 0; f < fields.size(); ++f) fields[f]->expect(halo, f, step);
        }
      }
    }
  });
}

// The messages of one rank of 3 x 3 x 3: 26 different neighbours.
TEST(Halo, sends_26_18_or_6_messages) {
  const CartesianGrid grid(13, 27, {.extent = {12, 12, 12}, .periodic = {true, true, true}});
  std::vector<double> memory(6 * 6 * 6 * 19);
  const auto requests_of = [&](Scheme scheme, Payload payload) {
    Halo halo(grid, {1, scheme, payload});
    auto f = array_of_structures(memory.data(), 19);
    f.reads = reads_of_velocities(d3q19);
    halo.add(f);
    Requests requests("halo", 0);
    halo.request(requests);
    std::size_t bytes = 0;
    std::map<std::pair<int, int>, int> messages;
    for (const auto& r : requests.list()) {
      if (r.kind != Request::Kind::send) continue;
      bytes += r.buffers.bytes();
      ++messages[{r.round, r.peer}];
    }
    EXPECT_EQ(requests.rounds(), halo.rounds());
    return std::pair(messages.size(), bytes / 8);
  };
  const auto pair = [](std::size_t messages, std::size_t values) { return std::pair(messages, values); };
  EXPECT_EQ(requests_of(Scheme::direct, Payload::whole), pair(26, (6 * 6 * 6 - 4 * 4 * 4) * 19));
  EXPECT_EQ(requests_of(Scheme::direct, Payload::directions), pair(18, (6 * 16 + 12 * 4) * 19));
  EXPECT_EQ(requests_of(Scheme::direct, Payload::reduced), pair(18, 6 * 16 * 5 + 12 * 4));
  EXPECT_EQ(requests_of(Scheme::by_dimension, Payload::whole), pair(6, (6 * 6 * 6 - 4 * 4 * 4) * 19));
  EXPECT_EQ(requests_of(Scheme::by_dimension, Payload::directions), pair(6, (6 * 16 + 12 * 4) * 19));
  EXPECT_EQ(requests_of(Scheme::by_dimension, Payload::reduced), pair(6, 6 * 16 * 5 + 12 * 4));
}

TEST(Halo, passes_on_through_faces_what_only_edges_read) {
  on(any_ranks, [](Transport& world) {
    const CartesianGrid grid(world, {.extent = {8, 8}, .periodic = {true, true}});
    const auto edges = [](const Direction& d, std::size_t) { return d[0] * d[1] != 0; };
    const auto block = grid.block();
    const auto ny = block.count[1] + 2;
    std::vector<int> memory((block.count[0] + 2) * ny, -1);
    for (std::size_t i = 0; i < block.count[0]; ++i)
      for (std::size_t j = 0; j < block.count[1]; ++j)
        memory[(i + 1) * ny + j + 1] = static_cast<int>((block.first[0] + i) * 8 + block.first[1] + j);
    for (const auto scheme : {Scheme::direct, Scheme::by_dimension}) {
      Halo halo(grid, {.scheme = scheme, .payload = Payload::reduced});
      auto f = scalar(memory.data());
      f.reads = edges;
      halo.add(f);
      HaloExchange exchange(world, halo);
      memory.front() = -1;
      exchange.start();
      exchange.finish();
      EXPECT_EQ(memory.front(), static_cast<int>((block.first[0] + 7) % 8 * 8 + (block.first[1] + 7) % 8));
    }
  });
}

TEST(Halo, interior_and_boundary_are_the_block) {
  for (int rank = 0; rank < 6; ++rank)
    for (const std::size_t width : {1u, 2u, 3u}) {
      const CartesianGrid grid(rank, 6,
                               {.extent = {9, 8, 5}, .processes = {3, 2, 1}, .periodic = {false, true, false}});
      const Halo halo(grid, {.width = width});
      auto boxes = halo.boundary();
      const auto inner = halo.interior();
      boxes.push_back(inner);
      std::map<Index, int> seen;
      for (const auto& box : boxes)
        for (std::size_t i = 0; i < box.points(); ++i)
          ++seen[{box.first[0] + i / box.count[2] / box.count[1], box.first[1] + i / box.count[2] % box.count[1],
                  box.first[2] + i % box.count[2]}];
      EXPECT_EQ(seen.size(), grid.block().points());
      for (const auto& [point, times] : seen) {
        EXPECT_EQ(times, 1);
        for (std::size_t a = 0; a < 3; ++a) EXPECT_LT(point[a], grid.block().count[a]);
      }
      for (std::size_t a = 0; a < 3 && inner.points() > 0; ++a) {
        EXPECT_EQ(inner.first[a], grid.has_neighbour(a, -1) ? width : 0);
        EXPECT_EQ(inner.first[a] + inner.count[a], grid.block().count[a] - (grid.has_neighbour(a, 1) ? width : 0));
      }
    }
}

// Two halos and another client in one step: one message per neighbour and round.
TEST(Halo, shares_messages_with_other_clients) {
  on(any_ranks, [](Transport& world) {
    const GridOptions options{.extent = {8, 4, 4}, .processes = {0, 1, 1}, .periodic = {true, true, true}};
    const CartesianGrid grid(world, options);
    const auto fields = all_kinds(grid, 1), wide = all_kinds(grid, 2);
    HaloClient a(halo_of(grid, {.width = 1, .payload = Payload::reduced}, fields));
    HaloClient b(halo_of(grid, {.width = 2, .scheme = Scheme::by_dimension}, wide));
    struct Sum : Client {
      void request(Requests& requests) override {
        requests.all_reduce(std::span<const int>(&one, 1), std::span(&ranks, 1), sum<int>());
      }
      int one = 1, ranks = 0;
    } sum;
    StepManager steps(world, {.messages = {.packed_limit_bytes = 1 << 20}});
    steps.add("a", a);
    steps.add("b", b);
    steps.add("sum", sum);
    const auto run = [&](int step) {
      for (const auto* all : {&fields, &wide})
        for (const auto& f : *all) f->fill(step);
      steps.run_step();
      for (std::size_t f = 0; f < fields.size(); ++f) fields[f]->expect(a.halo(), f, step);
      for (std::size_t f = 0; f < wide.size(); ++f) wide[f]->expect(b.halo(), f, step);
      EXPECT_EQ(sum.ranks, world.size());
    };
    run(0);
    EXPECT_EQ(steps.counts().waits, 3);
    for (const auto& [peer, messages] : steps.counts().messages)
      EXPECT_EQ(messages, 1) << "to " << peer;  // along x only
    b.replace(with_options(b.halo(), {.width = 2, .scheme = Scheme::direct, .payload = Payload::directions}));
    steps.changed(b);
    steps.reset_counts();
    run(1);
    EXPECT_EQ(steps.counts().waits, 1);
  });
}

// The mean of the nine points around each point: a block padded by one ghost point, in row-major order.
struct Blur : HaloClient {
  Blur(const Halo& halo, std::vector<double>& now) : HaloClient(halo), now_(now), next_(now) {}
  void compute(const Box& box) {
    for (std::size_t i = box.first[0] + 1; i <= box.first[0] + box.count[0]; ++i)
      for (std::size_t j = box.first[1] + 1; j <= box.first[1] + box.count[1]; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < 9; ++k) sum += now_[(i - 1 + k / 3) * pitch_ + j - 1 + k % 3];
        next_[i * pitch_ + j] = sum / 9;
      }
  }
  void during(Step& step) override {
    if (step.round() == 0) compute(halo().interior());
  }
  void after(Step& step) override {
    if (!is_last(step)) return;
    for (const auto& box : halo().boundary()) compute(box);
    std::copy(next_.begin(), next_.end(), now_.begin());  // the halo's memory stays the same
  }
  std::vector<double>& now_;
  std::vector<double> next_;
  std::size_t pitch_ = halo().grid().block().count[1] + 2;
};

TEST(Halo, what_is_computed_around_its_messages_is_what_one_rank_computes) {
  on(any_ranks, [](Transport& world) {
    const auto blurred = [](Transport& ranks, int rank, int size, Scheme scheme, const std::vector<bool>& periodic) {
      const CartesianGrid grid(rank, size, {.extent = {9, 8}, .periodic = periodic});
      const auto block = grid.block();
      std::vector<double> values((block.count[0] + 2) * (block.count[1] + 2));
      const auto at = [&](std::size_t i, std::size_t j) -> double& {
        return values[(i + 1) * (block.count[1] + 2) + j + 1];
      };
      for (std::size_t i = 0; i < block.count[0]; ++i)
        for (std::size_t j = 0; j < block.count[1]; ++j)
          at(i, j) = static_cast<double>(mix((block.first[0] + i) * 8 + block.first[1] + j) % 1000);
      Halo halo(grid, {.scheme = scheme});
      halo.add(scalar(values.data()));
      Blur blur(halo, values);
      StepManager steps(ranks);
      steps.add("blur", blur);
      for (int i = 0; i < 5; ++i) steps.run_step();
      std::map<std::size_t, double> result;
      for (std::size_t i = 0; i < block.count[0]; ++i)
        for (std::size_t j = 0; j < block.count[1]; ++j)
          result[(block.first[0] + i) * 8 + block.first[1] + j] = at(i, j);
      return result;
    };
    for (const std::vector<bool>& periodic : {std::vector<bool>{true, true}, {false, true}, {}}) {
      std::map<std::size_t, double> alone;
      run_in_process(1, [&](Transport& self) { alone = blurred(self, 0, 1, Scheme::direct, periodic); });
      for (const auto scheme : {Scheme::direct, Scheme::by_dimension})
        for (const auto& [point, value] : blurred(world, world.rank(), world.size(), scheme, periodic))
          EXPECT_EQ(value, alone.at(point));
    }
  });
}

TEST(Halo, describes_its_plan) {
  const CartesianGrid grid(0, 2, {.extent = {8, 6, 4}, .processes = {2, 1, 1}, .periodic = {true, true, false}});
  std::vector<float> memory(6 * 8 * 6 * 19);
  Halo halo(grid, {.payload = Payload::reduced});
  auto f = structure_of_arrays(memory.data(), 19);
  f.reads = reads_of_velocities(d3q19);
  halo.add(f);
  EXPECT_EQ(halo.describe(),
            "halo of width 1, direct, the components that are read\n"
            "  grid of 8 x 6 x 4 points, periodic along 0 and 1, on 2 x 1 x 1 ranks\n"
            "  rank 0 at (0, 0, 0): 4 x 6 x 4 points, 32 of them interior\n"
            "  round 0 to itself: 640 bytes in 2 parts, directions 0-0 0+0\n"
            "  round 0 to rank 1: 1024 bytes in 6 parts, directions -00 +00 --0 -+0 +-0 ++0\n"
            "  sends 1664 bytes (640 to itself) of 1 field in 1 round; whole: 7296 bytes (77 % saved)\n");
  EXPECT_THAT(with_options(halo, {.scheme = Scheme::by_dimension}).describe(),
              HasSubstr("round 1 to itself: 3648 bytes in 2 parts, directions 0-0 0+0"));
  EXPECT_THAT(with_options(halo, {}).describe(), Not(HasSubstr("saved")));
}

TEST(Halo, refuses_what_makes_no_sense) {
  const CartesianGrid grid(0, 3, {.extent = {8, 2}, .processes = {3, 1}});
  EXPECT_EQ(error_of([&] { Halo(grid, {.width = 3}); }),
            "A halo of width 3 is wider than the shortest block along axis 0, of 2 points (it would reach beyond the "
            "neighbour). "
            "Use fewer ranks along this axis or a narrower halo.");
  EXPECT_EQ(error_of([&] { Halo(grid, {.width = 0}); }), "A halo has width 0. Use 1 or more.");
  std::vector<int> memory(100);
  auto f = scalar(memory.data());
  f.layers = 1;
  f.name = "heat";
  EXPECT_EQ(
      error_of([&] { Halo(grid, {.width = 2}).add(f); }),
      "Field 'heat' has 1 layers of ghost points (the halo is 2 wide). Allocate more layers or use a narrower halo.");
  EXPECT_THAT(error_of([&] { Halo(grid).add(array_of_structures(memory.data(), 0)); }),
              HasSubstr("of size 0. Use 1 or more."));
  Halo reference(grid, {.scheme = Scheme::reference});
  reference.add(scalar(memory.data()));
  Requests requests("halo", 0);
  EXPECT_THAT(error_of([&] { reference.request(requests); }),
              HasSubstr("has no parts (every rank sends to every rank)"));
  on(2_ranks, [&](Transport& world) {
    EXPECT_THAT(error_of([&] { HaloExchange(world, Halo(grid)); }), HasSubstr("A grid of 3 ranks is exchanged by 2"));
    // Ranks that disagree about a field get an error when the exchange is committed.
    const CartesianGrid two(world, {.extent = {4}, .periodic = {true}});
    std::vector<double> own(100);
    Halo halo(two);
    halo.add(array_of_structures(own.data(), world.rank() == 0 ? 3 : 2));
    EXPECT_THAT(error_of([&] { HaloExchange(world, halo); }), HasSubstr("Client 'halo', key"));
  });
}

TEST(Halo, says_on_all_ranks_that_their_grids_differ) {
  on(3_ranks, [](Transport& world) {
    std::vector<double> memory(200);
    const auto refusal = [&](const GridOptions& options, const HaloOptions& how = {}) {
      Halo halo(CartesianGrid(world, options), how);
      halo.add(scalar(memory.data()));
      return error_of([&] { HaloExchange(world, halo); });
    };
    const bool other = world.rank() == 1;
    EXPECT_EQ(
        refusal({.extent = {12, other ? 4U : 3U}, .processes = {3, 1}}),
        "Client 'halo' is not the same on all ranks (rank 0: grid of 12 x 3 points, on 3 x 1 ranks; halo of width "
        "1, direct, whole; rank 1: grid of 12 x 4 points, on 3 x 1 ranks; halo of width 1, direct, whole). Create "
        "it alike on every rank.");
    EXPECT_THAT(refusal({.extent = {12}, .periodic = {other}}),
                HasSubstr("rank 1: grid of 12 points, periodic along 0"));
    EXPECT_THAT(refusal({.extent = {6, 6}, .processes = {other ? 1 : 3, other ? 3 : 1}}), HasSubstr("on 1 x 3 ranks"));
    EXPECT_THAT(refusal({.extent = {12}}, {.width = other ? 2U : 1U}),
                HasSubstr("rank 1: grid of 12 points, on 3 ranks; "
                          "halo of width 2"));
    EXPECT_EQ(refusal({.extent = {12}}), "no error");
  });
}

}  // namespace
}  // namespace weft
