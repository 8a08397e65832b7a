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

// Each pixel's ray is cut into segments, each owned by a rank; neighbouring segments touch or leave a gap.
std::vector<Segments> random_segments(int ranks, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Segments> all(static_cast<std::size_t>(ranks));
  for (std::uint32_t p = 0; p < pixels; ++p) {
    float depth = 0;
    for (auto n = random() % 6; n > 0; --n) {
      if (random() % 2 == 0) depth += 1;
      const auto alpha = static_cast<std::uint16_t>(random() % 40000);
      Segment s{p, depth, depth + 1, {}};
      for (std::size_t c = 0; c < 3; ++c) s.colour[c] = static_cast<std::uint16_t>(random() % (alpha + 1U));
      s.colour[3] = alpha;
      depth += 1;
      auto& mine = all[random() % static_cast<unsigned>(ranks)];
      // A rank merges its own segments that touch, as a layer does.
      mine = merge(mine, Segments{s});
    }
  }
  return all;
}

// The definition, in double precision.
std::vector<std::array<double, 4>> blended(const std::vector<Segments>& all) {
  Segments sorted;
  for (const auto& list : all) sorted.insert(sorted.end(), list.begin(), list.end());
  std::sort(sorted.begin(), sorted.end(), [](const Segment& a, const Segment& b) {
    return a.pixel != b.pixel ? a.pixel < b.pixel : a.begin < b.begin;
  });
  std::vector<std::array<double, 4>> out(pixels);
  for (const auto& s : sorted) {
    auto& to = out[s.pixel];
    const double through = 1 - to[3];
    for (std::size_t c = 0; c < 4; ++c) to[c] += through * s.colour[c] / 65535;
  }
  return out;
}

// Runs the stages of all ranks, stage by stage, and returns the result of rank 0.
Segments run(CompositeWay way, std::vector<Segments> held) {
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
      if (stage.is_last) flatten(mine);
      for (const auto& send : stage.sends) {
        Segments part;
        for (const auto& s : mine)
          if (s.pixel >= send.first && s.pixel < send.last) part.push_back(s);
        messages.push_back({r, send.peer, pack(part, !stage.is_last)});
      }
      std::erase_if(mine, [&](const Segment& s) { return s.pixel < stage.first || s.pixel >= stage.last; });
    }
    for (const auto& m : messages) {
      const auto& stage = stages[static_cast<std::size_t>(m.to)][k];
      EXPECT_NE(std::find(stage.receives.begin(), stage.receives.end(), m.from), stage.receives.end());
      auto& theirs = held[static_cast<std::size_t>(m.to)];
      theirs = merge(theirs, unpack(m.bytes, !stage.is_last));
    }
  }
  return held[0];
}

TEST(Composite, blends_in_the_order_of_depth_for_any_number_of_ranks) {
  for (const auto way : {CompositeWay::binary_swap, CompositeWay::direct_send})
    for (int ranks = 2; ranks <= 9; ++ranks) {
      const auto all = random_segments(ranks, static_cast<unsigned>(ranks));
      const auto expected = blended(all);
      auto result = run(way, all);
      std::vector<std::array<double, 4>> got(pixels);
      for (const auto& s : result)
        for (std::size_t c = 0; c < 4; ++c) got[s.pixel][c] = s.colour[c] / 65535.0;
      for (std::uint32_t p = 0; p < pixels; ++p)
        for (std::size_t c = 0; c < 4; ++c)
          ASSERT_NEAR(got[p][c], expected[p][c], 0.5 / 255) << name_of(way) << ", " << ranks << " ranks, pixel " << p;
    }
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
  const auto segments = random_segments(1, 5)[0];
  EXPECT_EQ(unpack(pack(segments, true), true), segments);
  EXPECT_TRUE(unpack({}, true).empty());
  auto flat = segments;
  flatten(flat);
  const auto back = unpack(pack(flat, false), false);
  ASSERT_EQ(back.size(), flat.size());
  for (std::size_t i = 0; i < flat.size(); ++i) {
    EXPECT_EQ(back[i].pixel, flat[i].pixel);
    EXPECT_EQ(back[i].colour, flat[i].colour);
  }
}

TEST(Composite, bytes_that_are_no_segments_are_refused) {
  auto bytes = pack(random_segments(1, 5)[0], true);
  for (const std::size_t cut : {std::size_t{1}, std::size_t{7}, std::size_t{13}, bytes.size() - 3})
    EXPECT_THROW(unpack(std::span(bytes).first(cut), true), Error) << cut;
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    auto garbage = bytes;
    for (int k = 0; k < 8; ++k) garbage[random() % garbage.size()] = static_cast<std::byte>(random());
    try {
      static_cast<void>(unpack(garbage, true));  // not more than the bytes can contain
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
