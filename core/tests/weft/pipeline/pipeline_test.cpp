// SPDX-License-Identifier: BSD-3-Clause
//
// Tiles of a loop that are computed, sent and used, with a window of tiles in flight.
#include "weft/pipeline/pipeline.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/core_ranks.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using Kind = ProgressOptions::Kind;

// The content of a rank's tile: the sum and the number of its iterations.
struct Block {
  std::uint64_t sum = 0, count = 0;
};
struct Buffer {
  Block mine;
  std::vector<Block> all;
};

std::uint64_t number(int rank, std::size_t iteration) {
  return static_cast<std::uint64_t>(rank + 1) * 1000 + iteration;
}

// One all-gather per slot, made once and started repeatedly.
struct AllGathers {
  AllGathers(Transport& world, std::size_t slots) : buffers(slots) {
    const auto size = static_cast<std::size_t>(world.size());
    for (auto& b : buffers) {
      b.all.resize(size);
      operations.push_back(world.collective({.kind = Collective::Kind::all_gather,
                                             .in = std::as_bytes(std::span(&b.mine, 1)),
                                             .out = std::as_writable_bytes(std::span(b.all)),
                                             .out_bytes = std::vector<std::size_t>(size, sizeof(Block))}));
    }
  }
  std::vector<Buffer> buffers;
  Operations operations;
};

void fill(const Tile& t, Buffer& b, int rank) {
  b.mine = {0, t.count};
  for (auto i = t.first; i < t.end(); ++i) {
    b.mine.sum += number(rank, i);
    t.progress();
  }
}

// Rank r has n(r) iterations; every rank sums the content of all ranks' tiles.
Block run(Transport& world, const std::function<std::size_t(int)>& n, PipelineOptions options) {
  AllGathers gathers(world, options.window + 1);
  Block total;
  std::size_t next = 0;
  pipeline(
      world, n(world.rank()), options, std::span(gathers.buffers),
      [&](const Tile& t, Buffer& b) { fill(t, b, world.rank()); },
      [&](const Tile& t, Buffer&) -> Operation& {
        gathers.operations[t.slot]->start();
        return *gathers.operations[t.slot];
      },
      [&](const Tile& t, Buffer& b) {
        EXPECT_EQ(t.index, next++);
        for (const auto& block : b.all) total = {total.sum + block.sum, total.count + block.count};
      });
  return total;
}

Block expected(int ranks, const std::function<std::size_t(int)>& n) {
  Block total;
  for (int r = 0; r < ranks; ++r)
    for (std::size_t i = 0; i < n(r); ++i) total = {total.sum + number(r, i), total.count + 1};
  return total;
}

TEST(Pipeline, moves_every_iteration_once_whatever_tile_window_and_progress) {
  on(any_ranks, [](Transport& world) {
    const std::vector<std::function<std::size_t(int)>> counts{
        [](int) { return 12; }, [](int) { return 13; }, [](int) { return 0; },
        [](int rank) { return static_cast<std::size_t>(5 * rank); }};
    for (const auto kind : {std::optional<Kind>(), std::optional(Kind::passive), std::optional(Kind::polling),
                            std::optional(Kind::thread)}) {
      Progress progress(world, {.kind = kind.value_or(Kind::passive), .interval_seconds = 0});
      for (const auto& n : counts)
        for (const std::size_t tile : {1, 4, 100})
          for (const std::size_t window : {0, 1, 3}) {
            const auto got = run(world, n, {.tile = tile, .window = window, .progress = kind ? &progress : nullptr});
            EXPECT_EQ(got.sum, expected(world.size(), n).sum) << tile << " " << window;
            EXPECT_EQ(got.count, expected(world.size(), n).count);
          }
    }
  });
}

TEST(Pipeline, calls_its_functors_in_the_promised_order) {
  on(any_ranks, [](Transport& world) {
    const auto order = [&](std::size_t window) {
      std::string calls;
      const auto note = [&](char functor, const Tile& t) {
        calls += functor;
        calls += std::to_string(t.index);
      };
      std::vector<int> buffers(window + 1);
      pipeline(
          world, 4, {.tile = 1, .window = window}, std::span(buffers),
          [&](const Tile& t, int& b) {
            note('C', t);
            b = static_cast<int>(t.index);
          },
          [&](const Tile& t, int&) -> Operation* {
            note('S', t);
            return nullptr;  // nothing to wait for
          },
          [&](const Tile& t, int& b) {
            EXPECT_EQ(b, static_cast<int>(t.index));
            note('U', t);
          });
      return calls;
    };
    EXPECT_EQ(order(0), "C0S0U0C1S1U1C2S2U2C3S3U3");
    EXPECT_EQ(order(2), "C0S0C1S1C2S2U0C3S3U1U2U3");
    EXPECT_EQ(order(9), "C0S0C1S1C2S2C3S3U0U1U2U3");
  });
}

TEST(Pipeline, tiles_end_with_the_loop_and_are_empty_beyond_it) {
  on(any_ranks, [](Transport& world) {
    std::vector<std::size_t> counts, firsts;
    const std::size_t mine = world.rank() == 0 ? 10 : 3;
    pipeline<char>(
        world, mine, {.tile = 4},
        [&](const Tile& t, char&) {
          counts.push_back(t.count);
          firsts.push_back(t.first);
          EXPECT_EQ(t.empty(), t.count == 0);
        },
        [](const Tile&, char&) { return std::unique_ptr<Operation>(); }, [](const Tile&, char&) {});
    if (world.rank() == 0) {
      EXPECT_EQ(counts, (std::vector<std::size_t>{4, 4, 2}));
      EXPECT_EQ(firsts, (std::vector<std::size_t>{0, 4, 8}));
    } else {
      EXPECT_EQ(counts, (std::vector<std::size_t>{3, 0, 0}));
    }
  });
}

TEST(Pipeline, takes_an_exchange) {
  on(any_ranks, [](Transport& world) {
    const int right = (world.rank() + 1) % world.size(), left = (world.rank() + world.size() - 1) % world.size();
    struct Ring {
      std::uint64_t out = 0, in = 0;
      std::unique_ptr<Exchange> exchange;
    };
    std::vector<Ring> rings(3);
    for (auto& ring : rings) {
      ring.exchange = std::make_unique<Exchange>(world);
      auto& client = ring.exchange->client("ring");
      client.send(right, 1, contiguous(std::span(&ring.out, 1)));
      client.receive(left, 1, contiguous(std::span(&ring.in, 1)));
      ring.exchange->commit();
    }
    std::size_t seen = 0;
    pipeline(
        world, 11, {.tile = 2, .window = 2}, std::span(rings),
        [&](const Tile& t, Ring& ring) { ring.out = number(world.rank(), t.first); },
        [](const Tile&, Ring& ring) {
          auto messages = ring.exchange->start();
          messages.ready_all(0, 0);
          return messages;
        },
        [&](const Tile& t, Ring& ring) {
          EXPECT_EQ(ring.in, number(left, t.first));
          ++seen;
        });
    EXPECT_EQ(seen, 6U);
  });
}

TEST(Pipeline, takes_a_start_of_no_exchange) {
  on(any_ranks, [](Transport& world) {
    std::size_t seen = 0;
    pipeline<int>(
        world, 5, {.window = 2}, [](const Tile&, int&) {}, [](const Tile&, int&) { return StartedExchange(); },
        [&](const Tile&, int&) { ++seen; });
    EXPECT_EQ(seen, 5U);
  });
}

TEST(Pipeline, writes_down_what_it_waits_for) {
  on(any_ranks, [](Transport& world) {
    Timeline timeline;
    pipeline<int>(
        world, 5, {.window = 2, .timeline = &timeline, .client = "planes"}, [](const Tile&, int&) {},
        [](const Tile&, int&) { return StartedExchange(); }, [](const Tile&, int&) {});
    EXPECT_EQ(timeline.tracks(), (std::vector<std::string>{"exchange", "planes"}));
    EXPECT_EQ(timeline.total_seconds(0, Activity::wait), timeline.total_seconds(1, Activity::wait));
    EXPECT_EQ(timeline.total_seconds(1, Activity::compute), 0);
  });
}

// An exchange per slot, with two rounds to the right neighbour.
struct TwoRounds {
  explicit TwoRounds(Transport& world) : exchange(world) {
    const int right = (world.rank() + 1) % world.size(), left = (world.rank() + world.size() - 1) % world.size();
    auto& client = exchange.client("rounds");
    for (int round = 0; round < 2; ++round) {
      const auto r = static_cast<std::size_t>(round);
      client.send(right, static_cast<Key>(round), contiguous(std::span(&out[r], 1)), round);
      client.receive(left, static_cast<Key>(round), contiguous(std::span(&in[r], 1)), round);
    }
    exchange.commit();
    barrier(world);  // a rank that is still in commit() would get another rank's failure there
  }
  std::array<std::uint64_t, 2> out{}, in{};
  Exchange exchange;
};

// A wait that would never end gives an error that names the part, in every round.
TEST(Pipeline, names_what_was_not_marked_ready) {
  on(any_ranks, [](Transport& world) {
    const auto right = std::to_string((world.rank() + 1) % world.size());
    for (const int rounds : {0, 1, 2}) {
      std::vector<std::unique_ptr<TwoRounds>> slots;
      for (int i = 0; i < 2; ++i) slots.push_back(std::make_unique<TwoRounds>(world));
      const auto said = error_of([&] {
        pipeline(
            world, 5, {}, std::span(slots), [](const Tile& t, auto& slot) { slot->out.fill(t.index); },
            [&](const Tile&, auto& slot) {
              auto messages = slot->exchange.start();
              for (int round = 0; round < rounds; ++round) messages.ready_all(0, round);
              return messages;
            },
            [](const Tile& t, auto& slot) {
              EXPECT_EQ(slot->in[0], t.index);
              EXPECT_EQ(slot->in[1], t.index);
            });
      });
      if (rounds == 2) {
        EXPECT_EQ(said, "no error");
      } else {
        const auto round = std::to_string(rounds);
        EXPECT_THAT(said,
                    ::testing::HasSubstr("was not marked ready in round " + round + " (the wait would never end)"));
        if (world.size() == 1) {
          EXPECT_THAT(said, ::testing::HasSubstr("Client 'rounds', key " + round + " to rank " + right));
        }
      }
    }
    EXPECT_EQ(abandoned_operations(), 0);
  });
}

// One rank fails: ranks that wait for it get an error, and a loop over new exchanges works.
TEST(Pipeline, fails_with_its_exchanges) {
  on({2, 3}, [](Transport& world) {
    for (const bool fails : {true, false, true, false}) {
      std::vector<std::unique_ptr<TwoRounds>> slots;
      for (int i = 0; i < 3; ++i) slots.push_back(std::make_unique<TwoRounds>(world));
      std::size_t used = 0;
      const auto said = error_of([&] {
        pipeline(
            world, 8, {.window = 2}, std::span(slots),
            [&](const Tile& t, auto& slot) {
              if (fails && t.index == 4 && world.rank() == 0) throw Error("tile 4 fails.");
              slot->out.fill(t.index);
            },
            [](const Tile&, auto& slot) {
              auto messages = slot->exchange.start();
              messages.ready_all(0, 0);
              messages.ready_all(0, 1);
              return messages;
            },
            [&](const Tile& t, auto& slot) {
              EXPECT_EQ(slot->in[1], t.index);
              ++used;
            });
      });
      if (!fails) {
        EXPECT_EQ(said, "no error");
        EXPECT_EQ(used, 8U);
      } else if (world.rank() == 0) {
        EXPECT_EQ(said, "tile 4 fails.");
      } else {
        EXPECT_THAT(said, ::testing::HasSubstr("(rank 0: tile 4 fails.)"));
      }
    }
    EXPECT_EQ(abandoned_operations(), 0);
  });
}

// An error of all ranks at one point, in each functor: it is thrown by pipeline(), and everything that was started is
// complete.
TEST(Pipeline, leaves_nothing_in_flight_when_a_functor_throws) {
  on(any_ranks, [](Transport& world) {
    for (const int where : {0, 1, 2}) {
      AllGathers gathers(world, 3);
      std::vector<int> started(3);
      const auto fail = [&](const Tile& t, int functor) {
        if (functor == where && t.index == 4) throw Error("functor " + std::to_string(functor) + " fails.", true);
      };
      EXPECT_EQ(error_of([&] {
                  pipeline(
                      world, 20, {.window = 2}, std::span(gathers.buffers),
                      [&](const Tile& t, Buffer& b) {
                        fail(t, 0);
                        fill(t, b, world.rank());
                      },
                      [&](const Tile& t, Buffer&) -> Operation& {
                        fail(t, 1);
                        gathers.operations[t.slot]->start();
                        ++started[t.slot];
                        return *gathers.operations[t.slot];
                      },
                      [&](const Tile& t, Buffer&) { fail(t, 2); });
                }),
                "functor " + std::to_string(where) + " fails.");
      for (std::size_t slot = 0; slot < 3; ++slot) {
        EXPECT_TRUE(gathers.operations[slot]->test());
        EXPECT_GT(started[slot], 0);
        gathers.operations[slot]->start();  // may be used again
        while (!gathers.operations[slot]->test()) {
        }
      }
    }
  });
}

// A communication that never completes, and that the library does not give back.
struct Stuck {
  bool test() { return false; }
  bool abandon() noexcept { return false; }
};

// Its memory outlives the pipeline: the library may still write there.
TEST(Pipeline, keeps_its_own_buffers_if_it_leaks_a_communication) {
  struct Counted {
    Counted() { ++alive(); }
    ~Counted() { --alive(); }
    static int& alive() {
      static int count = 0;
      return count;
    }
  };
  on(1_ranks, [](Transport& world) {
    const int before = Counted::alive();
    const auto fails = [](const Tile& t, Counted&) {
      if (t.index == 1) throw Error("A functor fails.");
    };
    const auto nothing = [](const Tile&, Counted&) {};
    EXPECT_EQ(error_of([&] {
                pipeline<Counted>(
                    world, 4, {}, fails, [](const Tile&, Counted&) { return Stuck(); }, nothing);
              }),
              "A functor fails.");
    EXPECT_EQ(Counted::alive() - before, 2);
    EXPECT_EQ(error_of([&] {
                pipeline<Counted>(
                    world, 4, {}, fails, [](const Tile&, Counted&) { return Operations(); }, nothing);
              }),
              "A functor fails.");
    EXPECT_EQ(Counted::alive() - before, 2);  // nothing else was leaked
  });
}

TEST(Pipeline, ends_when_compute_says_so) {
  on(any_ranks, [](Transport& world) {
    std::vector<std::size_t> used;
    const auto most = static_cast<std::size_t>(2 * world.rank());  // each rank ends at another tile, and rank 0 at once
    pipeline<char>(
        world, endless, {.window = 3, .tiles = endless}, [&](const Tile& t, char&) { return t.index < most; },
        [](const Tile&, char&) { return Operations(); }, [&](const Tile& t, char&) { used.push_back(t.index); });
    ASSERT_EQ(used.size(), most);
    for (std::size_t i = 0; i < most; ++i) EXPECT_EQ(used[i], i);
  });
}

// The number of a tile that is empty here, times the size of a tile, may be too large for a size_t.
TEST(Pipeline, tiles_of_any_size_are_empty_beyond_the_loop) {
  on(1_ranks, [](Transport& world) {
    std::vector<std::size_t> counts;
    pipeline<char>(
        world, 5, {.tile = std::size_t{1} << 63, .tiles = 4}, [&](const Tile& t, char&) { counts.push_back(t.count); },
        [](const Tile&, char&) { return Operations(); }, [](const Tile&, char&) {});
    EXPECT_EQ(counts, (std::vector<std::size_t>{5, 0, 0, 0}));
  });
}

TEST(Pipeline, refuses_what_can_not_work) {
  on(1_ranks, [](Transport& world) {
    std::vector<char> buffers(2);
    const auto nothing = [](const Tile&, char&) {};
    const auto none = [](const Tile&, char&) -> Operation* { return nullptr; };
    const auto with = [&](const PipelineOptions& options) {
      return error_of([&] { pipeline(world, 5, options, std::span(buffers), nothing, none, nothing); });
    };
    EXPECT_NE(with({.tile = 0}).find("tile of a pipeline is 0"), std::string::npos);
    EXPECT_NE(with({.window = 2}).find("window of 2 has 2 buffers"), std::string::npos);
    EXPECT_NE(with({.tiles = 4}).find("more tiles"), std::string::npos);
    const auto most = std::numeric_limits<std::size_t>::max();
    EXPECT_NE(with({.window = most}).find("can't be counted"), std::string::npos);
    for (const auto window : {most, most - 1}) {
      try {
        pipeline<char>(world, 5, {.window = window}, nothing, none, nothing);
        ADD_FAILURE() << "no error";
      } catch (const Error& e) {
        EXPECT_NE(std::string(e.what()).find("can't be counted"), std::string::npos);
        EXPECT_TRUE(e.everywhere());
      }
    }
    EXPECT_EQ(with({.tiles = 7}), "no error");
  });
}

}  // namespace
}  // namespace weft
