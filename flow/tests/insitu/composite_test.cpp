// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/composite.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <vector>

#include "weft/error.hpp"

namespace weft::insitu {
namespace {

constexpr std::uint32_t pixels = 700;

// Runs of random pixels and colours, front to back, each owned by a rank.
std::vector<Runs> random_runs(int ranks, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Runs> all(static_cast<std::size_t>(ranks));
  for (std::int32_t order = -20; order < 20; ++order) {
    // Those of one order share no pixel.
    for (std::uint32_t pixel = 0; pixel < pixels;) {
      const auto count = std::min(pixels - pixel, static_cast<std::uint32_t>(1 + random() % 30));
      auto& mine = all[random() % static_cast<unsigned>(ranks)];
      if (random() % 3 != 0) {
        mine.runs.push_back({pixel, count, order});
        for (std::uint32_t i = 0; i < count; ++i) {
          const auto alpha = static_cast<std::uint16_t>(random() % 20000);
          Rgba c{0, 0, 0, alpha};
          for (std::size_t k = 0; k < 3; ++k) c[k] = static_cast<std::uint16_t>(random() % (alpha + 1U));
          mine.colours.push_back(c);
        }
      }
      pixel += count;
    }
  }
  return all;
}

// The definition, in double precision.
std::vector<std::array<double, 4>> blended(const Runs& runs) {
  std::vector<std::array<double, 4>> out(pixels);
  auto colour = runs.colours.begin();
  for (const auto& run : runs.runs)
    for (std::uint32_t i = 0; i < run.count; ++i, ++colour) {
      auto& to = out[run.pixel + i];
      const double left = 1 - to[3];
      for (std::size_t c = 0; c < 4; ++c) to[c] += left * (*colour)[c] / 65535;
    }
  return out;
}

// Runs the stages of all ranks, stage by stage, and returns the result of rank 0.
Runs run(CompositeWay way, std::vector<Runs> held) {
  const auto ranks = static_cast<int>(held.size());
  std::vector<std::vector<CompositeStage>> stages;
  for (int r = 0; r < ranks; ++r) stages.push_back(composite_stages(way, r, ranks, pixels));
  for (std::size_t k = 0; k < stages[0].size(); ++k) {
    struct Message {
      int from, to;
      std::vector<std::byte> bytes;
    };
    std::vector<Message> messages;
    for (int r = 0; r < ranks; ++r) {
      const auto& stage = stages[static_cast<std::size_t>(r)][k];
      auto& mine = held[static_cast<std::size_t>(r)];
      if (stage.is_last) mine = blend(mine);
      for (const auto& send : stage.sends) messages.push_back({r, send.peer, pack(clip(mine, send.first, send.last))});
      if (!stage.sends.empty()) mine = clip(mine, stage.first, stage.last);
    }
    for (const auto& m : messages) {
      const auto& stage = stages[static_cast<std::size_t>(m.to)][k];
      EXPECT_NE(std::find(stage.receives.begin(), stage.receives.end(), m.from), stage.receives.end());
      auto& theirs = held[static_cast<std::size_t>(m.to)];
      theirs = merge(theirs, unpack(m.bytes));
    }
  }
  return held[0];
}

TEST(Composite, blends_front_to_back) {
  const auto all = random_runs(1, 3)[0];
  const auto expected = blended(all);
  std::vector<std::array<double, 4>> got(pixels);
  for (const auto& s : segments_of(blend(all)))
    for (std::size_t c = 0; c < 4; ++c) got[s.pixel][c] = s.colour[c] / 65535.0;
  for (std::uint32_t p = 0; p < pixels; ++p)
    for (std::size_t c = 0; c < 4; ++c) ASSERT_NEAR(got[p][c], expected[p][c], 0.5 / 255) << p;
}

TEST(Composite, gives_the_same_bits_for_any_number_of_ranks) {
  for (const auto way : {CompositeWay::binary_swap, CompositeWay::direct_send})
    for (int ranks = 2; ranks <= 9; ++ranks) {
      const auto all = random_runs(ranks, static_cast<unsigned>(ranks));
      Runs one;
      for (const auto& runs : all) one = merge(one, runs);
      EXPECT_EQ(segments_of(run(way, all)), segments_of(blend(one))) << name_of(way) << ", " << ranks << " ranks";
    }
}

// What a rank leaves out because it has no light left there is also left out by blending.
TEST(Composite, leaves_out_what_no_light_reaches) {
  const Rgba nearly{65000, 0, 0, 65500}, other{0, 9000, 0, 9000};
  const Runs dark_behind{{{5, 1, 0}, {5, 1, 1}}, {nearly, other}};
  EXPECT_EQ(blend(dark_behind), blend(Runs{{{5, 1, 0}}, {nearly}}));
}

TEST(Composite, stages_are_as_many_on_each_rank_and_deal_out_every_pixel_once) {
  for (const auto way : {CompositeWay::binary_swap, CompositeWay::direct_send})
    for (int ranks = 1; ranks <= 17; ++ranks) {
      const auto stages = composite_stages(way, 0, ranks, 1000).size();
      std::uint32_t owned = 0;
      for (int r = 0; r < ranks; ++r) {
        const auto mine = composite_stages(way, r, ranks, 1000);
        ASSERT_EQ(mine.size(), stages);
        if (stages > 1) owned += mine[stages - 2].last - mine[stages - 2].first;
      }
      if (stages > 1) {
        EXPECT_EQ(owned, 1000u) << name_of(way) << " " << ranks;
      }
    }
  EXPECT_EQ(composite_stages(CompositeWay::binary_swap, 0, 8, 1000).size(), 4u);   // three halvings, and a gather
  EXPECT_EQ(composite_stages(CompositeWay::binary_swap, 0, 11, 1000).size(), 5u);  // three ranks are merged first
  EXPECT_EQ(composite_stages(CompositeWay::direct_send, 0, 8, 1000).size(), 2u);
}

TEST(Composite, what_travels_is_what_was_sent) {
  const auto runs = random_runs(1, 5)[0];
  EXPECT_EQ(unpack(pack(runs)), runs);
  EXPECT_EQ(unpack(pack({})), Runs{});
  EXPECT_EQ(clip(runs, 0, pixels), runs);
}

TEST(Composite, bytes_that_are_no_runs_are_refused) {
  const auto bytes = pack(random_runs(1, 5)[0]);
  for (const std::size_t cut : {std::size_t{1}, std::size_t{7}, std::size_t{13}, bytes.size() - 3})
    EXPECT_THROW(unpack(std::span(bytes).first(cut)), Error) << cut;
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    auto garbage = bytes;
    for (int k = 0; k < 8; ++k) garbage[random() % garbage.size()] = static_cast<std::byte>(random());
    try {
      static_cast<void>(unpack(garbage));  // not more than the bytes can contain
    } catch (const Error&) {
    }
  }
}

TEST(Composite, names_are_read_back) {
  for (const auto way : {CompositeWay::binary_swap, CompositeWay::direct_send})
    EXPECT_EQ(composite_way_names.named(name_of(way)), way);
  EXPECT_THROW(composite_way_names.named("radix_k"), InputError);
}

}  // namespace
}  // namespace weft::insitu
