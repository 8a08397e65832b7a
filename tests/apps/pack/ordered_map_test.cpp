// SPDX-License-Identifier: BSD-3-Clause
//
// Blocks that are dealt out, transformed on any rank and put into order again.
#include "pack/ordered_map.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/support/core_random.hpp"
#include "tests/support/core_ranks.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::pack {
namespace {

using namespace weft::testing;
using Kind = ProgressOptions::Kind;
using Way = MapOptions::Way;

// Block i holds i's text, some times; what comes out is of another, uneven length.
Bytes input(std::uint64_t index) { return Bytes(1 + index % 5, static_cast<std::byte>(index)); }
Bytes output(View in) { return Bytes(in.size() * 700 + std::to_integer<std::size_t>(in[0]) * 13, in[0]); }

struct Job {
  std::uint64_t blocks = 0, next = 0, expected_next = 0, expected_at = 0;
  std::map<std::uint64_t, Bytes> written;  // by place
  Work work;

  Job(std::uint64_t n, bool root_reads) : blocks(n) {
    work.next = [this, root_reads](Bytes& data) -> std::optional<Block> {
      if (next == blocks) return {};
      if (root_reads) data = input(next);
      return Block{.index = next++, .bytes = 1};
    };
    if (!root_reads) work.read = [](const Block& b, Bytes& in) { in = input(b.index); };
    work.transform = [](const Block&, View in, Bytes& out) { out = output(in); };
    work.in_order = [this](const Block& b, std::uint64_t at, std::uint64_t bytes, View out) {
      EXPECT_EQ(b.index, expected_next++);
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

// All that the ranks wrote, on every rank.
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

// Wherever it happens, every rank throws it, and the transport can be used afterwards.
TEST(OrderedMap, an_error_of_one_rank_ends_all) {
  on(any_ranks, [](Transport& world) {
    for (const auto way : {Way::gather, Way::parallel, Way::after})
      for (const std::string where : {"next", "transform", "in_order", "write_at"}) {
        if (where == "write_at" && way != Way::parallel) continue;
        Job job(30, false);
        const auto sound = job.work;
        const auto fail = [](const Block& b) {
          if (b.index == 11) throw InputError("block 11 is bad.");
        };
        if (where == "next")
          job.work.next = [&](Bytes& data) {
            auto block = sound.next(data);
            if (block) fail(*block);
            return block;
          };
        if (where == "transform")
          job.work.transform = [&](const Block& b, View in, Bytes& out) {
            fail(b);
            sound.transform(b, in, out);
          };
        if (where == "in_order")
          job.work.in_order = [&](const Block& b, std::uint64_t at, std::uint64_t bytes, View out) {
            fail(b);
            sound.in_order(b, at, bytes, out);
          };
        if (where == "write_at")
          job.work.write_at = [&](std::uint64_t at, View) {
            if (at > 20000) throw InputError("block 11 is bad.");
          };
        try {
          ordered_map(world, job.work, {.way = way, .window = 2});
          ADD_FAILURE() << "no error in " << where;
        } catch (const InputError& e) {
          EXPECT_STREQ(e.what(), "block 11 is bad.") << where;
          EXPECT_TRUE(e.everywhere());
        }
        barrier(world);
      }
  });
}

}  // namespace
}  // namespace weft::pack
