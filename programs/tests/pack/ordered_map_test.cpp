// SPDX-License-Identifier: BSD-3-Clause
//
// Blocks that are distributed, transformed on any rank, and put in order again.
#include "pack/ordered_map.hpp"

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "tests/support/core_random.hpp"
#include "tests/support/core_ranks.hpp"
#include "tests/support/watched_transport.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::pack {
namespace {

using namespace weft::testing;
using Kind = ProgressOptions::Kind;
using Way = MapOptions::Way;

// Block i holds the text of i several times. The output's length varies: every seventh block gives nothing, every 13th
// gives more than one eager message holds.
Bytes input(std::uint64_t index) { return Bytes(1 + index % 5, static_cast<std::byte>(index)); }
Bytes output(View in) {
  const auto text = std::to_integer<std::size_t>(in[0]);
  const auto bytes = in.size() * 700 + text * 13;
  return Bytes(text % 7 == 3 ? 0 : text % 13 == 0 ? bytes + 50000 : bytes, in[0]);
}

struct Job {
  std::uint64_t blocks = 0, next = 0, expected_next = 0, expected_at = 0;
  std::map<std::uint64_t, Bytes> written;  // by position
  Work work;

  Job(std::uint64_t n, bool root_reads) : blocks(n) {
    work.next = [this, root_reads](Bytes& data) -> std::optional<Block> {
      if (next == blocks) return {};
      if (root_reads) data = input(next);
      return Block{.index = next++, .bytes = 1};
    };
    if (!root_reads) work.read = [](const Block& b, Bytes& in) { in = input(b.index); };
    work.transform = [](Block& b, View in, Bytes& out) {
      out = output(in);
      b.note = 3 * b.index;
    };
    work.in_order = [this](const Block& b, std::uint64_t at, std::uint64_t bytes, View out) {
      EXPECT_EQ(b.index, expected_next++);
      EXPECT_EQ(b.note, 3 * b.index);
      EXPECT_EQ(at, expected_at);
      expected_at += bytes;
      if (!out.empty()) written[at] = Bytes(out.begin(), out.end());
    };
    work.write_at = [this](std::uint64_t at, View out) { written[at] = Bytes(out.begin(), out.end()); };
  }
};

Bytes whole(std::uint64_t blocks) {
  Bytes all;
  for (std::uint64_t i = 0; i < blocks; ++i) {
    const auto one = output(input(i));
    all.insert(all.end(), one.begin(), one.end());
  }
  return all;
}

// The output of all ranks, on every rank.
Bytes collect(Transport& world, const Job& job, std::size_t bytes) {
  std::vector<std::uint64_t> pieces;
  std::vector<std::byte> content;
  for (const auto& [at, piece] : job.written) {
    pieces.push_back(at);
    pieces.push_back(piece.size());
    content.insert(content.end(), piece.begin(), piece.end());
  }
  const auto places = all_gather(world, pieces);
  const auto all = all_gather(world, content);
  Bytes result(bytes);
  std::size_t from = 0, covered = 0;
  for (std::size_t i = 0; i < places.size(); i += 2) {
    if (places[i] + places[i + 1] > bytes) return {};
    std::copy_n(all.begin() + static_cast<std::ptrdiff_t>(from), places[i + 1],
                result.begin() + static_cast<std::ptrdiff_t>(places[i]));
    from += places[i + 1];
    covered += places[i + 1];
  }
  return covered == bytes ? result : Bytes{};
}

TEST(OrderedMap, keeps_the_order_in_every_way) {
  on(any_ranks, [](Transport& world) {
    for (const auto kind : {Kind::passive, Kind::thread}) {
      Progress progress(world, {.kind = kind});
      for (const auto way : {Way::gather, Way::parallel, Way::after})
        for (const bool root_reads : {false, true})
          for (const std::size_t window : {0, 2})
            for (const std::uint64_t blocks : {0, 1, 40}) {
              SCOPED_TRACE("way " + std::to_string(static_cast<int>(way)) + ", window " + std::to_string(window) +
                           ", " + std::to_string(blocks) + " blocks");
              Job job(blocks, root_reads);
              ordered_map(world, job.work, {.way = way, .window = window, .progress = &progress});
              const auto right = whole(blocks);
              EXPECT_TRUE(collect(world, job, right.size()) == right);
              if (world.rank() == 0) {
                EXPECT_EQ(job.expected_next, blocks);
              }
            }
    }
  });
}

// The same for any limit of a message's size.
TEST(OrderedMap, results_may_travel_in_many_pieces) {
  run_in_process(3,
                 [](Transport& world) {
                   for (const auto way : {Way::gather, Way::after})
                     for (const bool root_reads : {false, true}) {
                       Job job(40, root_reads);
                       ordered_map(world, job.work, {.way = way, .window = 2});
                       const auto right = whole(40);
                       EXPECT_TRUE(collect(world, job, right.size()) == right);
                     }
                 },
                 {.eager_limit_bytes = 256, .piece_bytes = 256, .synchronous = true});
}

// Throws at the place that the test chooses.
struct Failing {
  std::string where;
  std::uint64_t index;  // of the block
  bool refused;         // whether the error is the user's (InputError)

  void at(const std::string& here, const Block& block) const {
    if (here == where && block.index == index) fail();
  }
  void fail() const {
    if (refused) throw InputError("a block is bad.");
    throw Error("a block is bad.");
  }
  void spoil(Work& work) const {
    const auto sound = work;
    work.next = [this, sound](Bytes& data) {
      auto block = sound.next(data);
      if (block) at("next", *block);
      return block;
    };
    if (sound.read)
      work.read = [this, sound](const Block& b, Bytes& in) {
        at("read", b);
        sound.read(b, in);
      };
    work.transform = [this, sound](Block& b, View in, Bytes& out) {
      at("transform", b);
      sound.transform(b, in, out);
    };
    work.in_order = [this, sound](const Block& b, std::uint64_t at_byte, std::uint64_t bytes, View out) {
      at("in_order", b);
      sound.in_order(b, at_byte, bytes, out);
    };
    work.write_at = [this, sound](std::uint64_t at_byte, View out) {
      if (where == "write_at" && at_byte > index * 2000) fail();
      sound.write_at(at_byte, out);
    };
  }
};

// Wherever the error happens, every rank throws it, and the transport can be used afterwards.
TEST(OrderedMap, an_error_of_one_rank_ends_all) {
  on(any_ranks, [](Transport& world) {
    for (const auto way : {Way::gather, Way::parallel, Way::after})
      for (const std::string where : {"next", "read", "transform", "in_order", "write_at"})
        for (const std::size_t window : {0, 2})
          for (const std::uint64_t index : {0, 11, 29}) {
            if (where == "write_at" && (way != Way::parallel || index == 29)) continue;
            const Failing failing{where, index, index != 0};
            SCOPED_TRACE(where + ", block " + std::to_string(index) + ", window " + std::to_string(window));
            Job job(30, false);
            failing.spoil(job.work);
            try {
              ordered_map(world, job.work, {.way = way, .window = window});
              ADD_FAILURE() << "no error";
            } catch (const Error& e) {
              EXPECT_STREQ(e.what(), "a block is bad.");
              EXPECT_TRUE(e.everywhere());
              EXPECT_EQ(dynamic_cast<const InputError*>(&e) != nullptr, failing.refused);
            }
            barrier(world);
          }
    Job job(5, true);
    ordered_map(world, job.work, {});
    const auto right = whole(5);
    EXPECT_TRUE(collect(world, job, right.size()) == right);
  });
}

// An error outside the blocks: the rank cancels, and the others get an error instead of waiting for it.
TEST(OrderedMap, a_rank_that_fails_in_the_middle_ends_all) {
  on({2, 3}, [](Transport& world) {
    for (int failing = 0; failing < world.size(); ++failing)
      for (const auto way : {Way::gather, Way::parallel, Way::after}) {
        SCOPED_TRACE("rank " + std::to_string(failing) + " fails, way " + std::to_string(static_cast<int>(way)));
        const auto watch = std::make_shared<Watch>();
        WatchedTransport watched(world, watch);
        bool fails = false;
        watch->before_start = [&] {
          if (std::exchange(fails, false)) throw Error("this link is down.");
        };
        Job job(40, false);
        const auto sound = job.work.transform;
        bool is_first = true;
        job.work.transform = [&](Block& b, View in, Bytes& out) {
          if (std::exchange(is_first, false)) fails = world.rank() == failing;
          sound(b, in, out);
        };
        EXPECT_EQ(error_of([&] { ordered_map(watched, job.work, {.way = way, .window = 1}); }), "this link is down.");
        barrier(world);
      }
  });
}

}  // namespace
}  // namespace weft::pack
