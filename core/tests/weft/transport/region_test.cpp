// SPDX-License-Identifier: BSD-3-Clause
#include "weft/transport/region.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <numeric>

#include "tests/support/core_random.hpp"
#include "tests/support/core_ranks.hpp"

namespace weft {
namespace {

using namespace weft::testing;
using ::testing::HasSubstr;
using Sizes = std::vector<std::size_t>;

// The reference, slow and simple: the indices of a box's elements, last dimension fastest.
Sizes elements_of_box(const Sizes& extent, const Sizes& first, const Sizes& count) {
  Sizes result{0};
  for (std::size_t d = 0; d < extent.size(); ++d) {
    Sizes finer;
    for (const auto outer : result)
      for (std::size_t i = 0; i < count[d]; ++i) finer.push_back(outer * extent[d] + first[d] + i);
    result = finer;
  }
  return result;
}

template <class T>
std::vector<T> numbered(std::size_t n) {
  std::vector<T> array(n);
  for (std::size_t i = 0; i < n; ++i) {
    const auto h = mix(i + 1);
    std::memcpy(&array[i], &h, std::min(sizeof(T), sizeof h));
  }
  return array;
}

// Packs and unpacks `region` of `array`, which must contain the elements `index`, in this order, and no others.
template <class T>
void expect_elements(std::vector<T>& array, const Region& region, const Sizes& index) {
  ASSERT_EQ(region.bytes(), index.size() * sizeof(T));
  std::vector<T> packed(index.size());
  region.pack(reinterpret_cast<std::byte*>(packed.data()));
  for (std::size_t i = 0; i < index.size(); ++i) ASSERT_EQ(packed[i], array[index[i]]) << "element " << i;

  const auto fresh = numbered<T>(array.size() + index.size());
  auto expected = array;
  for (std::size_t i = 0; i < index.size(); ++i) expected[index[i]] = packed[i] = fresh[array.size() + i];
  region.unpack(reinterpret_cast<const std::byte*>(packed.data()));
  ASSERT_EQ(array, expected);
}

template <class T>
void try_random_boxes(std::uint64_t seed) {
  Random random(seed);
  for (int repeat = 0; repeat < 400; ++repeat) {
    Sizes extent, first, count;
    const int dimensions = random.below(5);
    for (int d = 0; d < dimensions; ++d) {
      extent.push_back(1 + random.size_below(6));
      // Often whole dimensions, for which runs are merged; sometimes empty ones.
      const bool whole = random.chance(3);
      first.push_back(whole ? 0 : random.size_below(extent.back() + 1));
      count.push_back(whole ? extent.back() : random.size_below(extent.back() - first.back() + 1));
    }
    SCOPED_TRACE(::testing::PrintToString(extent) + " from " + ::testing::PrintToString(first) + " count " +
                 ::testing::PrintToString(count));
    auto array = numbered<T>(std::accumulate(extent.begin(), extent.end(), std::size_t{1}, std::multiplies<>()));
    const auto region = box(array.data(), extent, first, count);
    expect_elements(array, region, elements_of_box(extent, first, count));
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(Region, boxes_of_up_to_four_dimensions_are_the_elements_of_the_reference) {
  try_random_boxes<std::uint64_t>(1);
  try_random_boxes<std::uint32_t>(2);
  try_random_boxes<char>(3);
  try_random_boxes<std::array<short, 3>>(4);
}

template <class T>
void try_random_indices(std::uint64_t seed) {
  Random random(seed);
  for (int repeat = 0; repeat < 100; ++repeat) {
    auto array = numbered<T>(40);
    Sizes index(40);
    std::iota(index.begin(), index.end(), std::size_t{0});
    random.shuffle(index);
    index.resize(random.size_below(41));
    expect_elements(array, indexed(array.data(), index), index);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(Region, indexed_elements_keep_their_order) {
  try_random_indices<std::uint64_t>(1);
  try_random_indices<std::uint32_t>(2);
  try_random_indices<char>(3);
  try_random_indices<std::array<short, 3>>(4);
}

// Nested loops over whole elements, with or without an index list inside or outside of them.
template <class T>
void try_random_strides(std::uint64_t seed) {
  Random random(seed);
  for (int repeat = 0; repeat < 400; ++repeat) {
    std::size_t size = 1 + random.size_below(3);  // number of elements in one iteration of the next loop
    const std::size_t places = random.size_below(4);
    const bool innermost = random.chance(2);
    std::vector<Loop> loops;  // outermost first
    Sizes offsets;
    const auto list = [&] {
      for (std::size_t k = 0; k < places; ++k) offsets.push_back(2 * k * size + random.size_below(size));
      random.shuffle(offsets);
      size *= 2 * places;
    };
    if (places > 0 && innermost) list();
    for (int d = random.below(4); d > 0; --d) {
      // Often dense, for which runs and loops are merged; sometimes with each element in a cache line of its own.
      const Loop loop{random.chance(10) ? 0 : 1 + random.size_below(random.chance(4) ? 10 : 4),
                      size + (random.chance(2) ? 0 : random.size_below(random.chance(4) ? 70 : 3))};
      loops.insert(loops.begin(), {loop.count, loop.stride_bytes * sizeof(T)});
      size = std::max<std::size_t>(loop.count, 1) * loop.stride_bytes;
    }
    if (places > 0 && !innermost) list();
    const auto elements = [&] {
      Sizes index{0};
      const auto nest = [&](std::size_t count, const auto& place) {
        Sizes finer;
        for (const auto outer : index)
          for (std::size_t i = 0; i < count; ++i) finer.push_back(outer + place(i));
        index = finer;
      };
      if (places > 0 && !innermost) nest(places, [&](std::size_t i) { return offsets[i]; });
      for (const auto& loop : loops) nest(loop.count, [&](std::size_t i) { return i * loop.stride_bytes / sizeof(T); });
      if (places > 0 && innermost) nest(places, [&](std::size_t i) { return offsets[i]; });
      return index;
    };
    const auto region_in = [&](std::vector<T>& array) {
      auto bytes = offsets;
      for (auto& offset : bytes) offset *= sizeof(T);
      return make_strided(reinterpret_cast<std::byte*>(array.data()), sizeof(T), loops, true, bytes, innermost);
    };
    auto array = numbered<T>(size + 1);
    const auto region = region_in(array);
    const auto index = elements();
    expect_elements(array, region, index);
    // Another region of the same form.
    std::ranges::reverse(offsets);
    const auto index_there = elements();
    std::vector<T> there(size + 1), expected(size + 1);
    for (std::size_t i = 0; i < index.size(); ++i) expected[index_there[i]] = array[index[i]];
    const auto target = region_in(there);
    if (region.bytes() > 0) {
      ASSERT_TRUE(region.copies_to(target));
      region.copy(target, nullptr);
    }
    ASSERT_EQ(there, expected);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(Region, nests_of_loops_are_the_elements_of_the_reference) {
  try_random_strides<std::uint64_t>(1);
  try_random_strides<std::uint32_t>(2);
  try_random_strides<char>(3);
  try_random_strides<std::array<short, 3>>(4);
  try_random_strides<std::array<std::uint64_t, 2>>(5);
  auto array = numbered<int>(24);
  expect_elements(array, strided(&array[1], {{2, 48}, {3, 16}}), {1, 5, 9, 13, 17, 21});
  EXPECT_TRUE(strided(&array[4], {{2, 48}, {3, 16}, {4, 4}}).is_contiguous());
}

TEST(Region, a_run_is_a_run) {
  auto array = numbered<int>(10);
  expect_elements(array, contiguous(std::span(array).subspan(3, 4)), {3, 4, 5, 6});
  EXPECT_TRUE(contiguous(std::span(array)).is_contiguous());
}

TEST(Region, boxes_that_are_one_run_are_sent_from_where_they_lie) {
  std::vector<int> array(4 * 5 * 6);
  EXPECT_TRUE(box(array.data(), {4, 5, 6}, {1, 0, 0}, {2, 5, 6}).is_contiguous());  // whole planes
  EXPECT_TRUE(box(array.data(), {4, 5, 6}, {1, 2, 0}, {1, 2, 6}).is_contiguous());  // rows of one plane
  EXPECT_TRUE(box(array.data(), {4, 5, 6}, {1, 2, 3}, {1, 1, 2}).is_contiguous());  // part of one row
  EXPECT_FALSE(box(array.data(), {4, 5, 6}, {0, 0, 0}, {2, 1, 6}).is_contiguous());
  EXPECT_EQ(box(array.data(), {4, 5, 6}, {1, 2, 3}, {1, 1, 2}).run().data(),
            std::as_writable_bytes(std::span(&array[45], 1)).data());
}

TEST(Region, empty_regions_do_nothing) {
  std::vector<int> array(6, 1);
  for (const auto& region : {Region(), contiguous(std::span<int>()), box(array.data(), {2, 3}, {2, 0}, {0, 3}),
                             box(array.data(), {2, 3}, {0, 1}, {2, 0}), indexed(array.data(), {})}) {
    EXPECT_EQ(region.bytes(), 0u);
    region.pack(nullptr);
    region.unpack(nullptr);
  }
}

TEST(Region, constant_memory_is_not_writable) {
  const std::vector<int> array(6, 1);
  EXPECT_FALSE(contiguous(std::span(array)).is_writable());
  EXPECT_FALSE(box(array.data(), {2, 3}, {0, 0}, {1, 1}).is_writable());
  EXPECT_FALSE(indexed(array.data(), {1}).is_writable());
}

TEST(Region, boxes_that_leave_their_array_are_refused) {
  std::vector<int> array(6);
  EXPECT_EQ(error_of([&] {
              box(array.data(), {2, 3}, {0, 2}, {1, 2});
            }),
            "A box leaves its array in dimension 1 (first 2 + count 2 > extent 3). Make the box smaller.");
  EXPECT_THAT(error_of([&] { box(array.data(), {2, 3}, {3, 0}, {0, 1}); }), HasSubstr("in dimension 0"));
  EXPECT_THAT(error_of([&] {
                box(array.data(), {2, 3}, {0, 0}, {static_cast<std::size_t>(-1), 1});
              }),
              HasSubstr("in dimension 0"));
  EXPECT_THAT(error_of([&] { box(array.data(), {2, 3}, {0}, {1, 1}); }), HasSubstr("different numbers of extents"));
  EXPECT_THAT(error_of([&] { box(array.data(), Sizes(17, 1), Sizes(17, 0), Sizes(17, 1)); }),
              HasSubstr("17 dimensions"));
}

// Another process has the same memory at another address.
TEST(Region, of_its_numbers_is_the_same_elements) {
  std::vector<int> here(600), there(600);
  for (std::size_t i = 0; i < 600; ++i) here[i] = there[i] = static_cast<int>(i);
  const auto* origin = reinterpret_cast<const std::byte*>(here.data());
  auto* elsewhere = reinterpret_cast<std::byte*>(there.data());
  const std::vector<std::size_t> offsets{8, 160, 80};
  for (const auto& region : {contiguous(std::span(here).subspan(3, 9)),
                             box(here.data(), {6, 10, 10}, {1, 2, 3}, {2, 3, 4}), indexed(here.data(), {5, 599, 0}),
                             make_strided(reinterpret_cast<std::byte*>(here.data()) + 40, 4,
                                          std::vector<Loop>{{3, 400}, {2, 4}}, true, offsets),
                             make_strided(reinterpret_cast<std::byte*>(here.data()), 4,
                                          std::vector<Loop>{{3, 400}, {2, 12}}, true, offsets, true)}) {
    const auto same = region_of(region.numbers(origin), elsewhere);
    std::vector<std::byte> a(region.bytes()), b(same.bytes());
    region.pack(a.data());
    same.pack(b.data());
    EXPECT_EQ(a, b);
    EXPECT_TRUE(region.lies_in(origin, 2400));
    EXPECT_TRUE(same.lies_in(elsewhere, 2400));
    EXPECT_FALSE(region.lies_in(elsewhere, 2400));
    EXPECT_FALSE(region.lies_in(origin, 40));
  }
}

// Long runs of different lengths are copied in one pass, without a temporary buffer.
TEST(Region, copies_runs_of_other_lengths_in_one_pass) {
  std::vector<int> from(4000), to(4000, -1), expected(4000, -1);
  for (std::size_t i = 0; i < 4000; ++i) from[i] = static_cast<int>(i);
  const std::vector<std::size_t> offsets{0, 8000, 4000};
  for (const bool innermost : {false, true}) {
    const auto a = strided(from.data() + 7, {{6, 600 * sizeof(int)}, {100, sizeof(int)}});
    const auto b = make_strided(reinterpret_cast<std::byte*>(to.data()), 400, std::vector<Loop>{{2, 1600}}, true,
                                offsets, innermost);
    ASSERT_EQ(a.bytes(), b.bytes());
    ASSERT_TRUE(a.copies_to(b) && b.copies_to(a));
    std::vector<std::byte> packed(a.bytes());
    a.pack(packed.data());
    a.copy(b, nullptr);
    std::vector<std::byte> copied(b.bytes());
    b.pack(copied.data());
    EXPECT_EQ(packed, copied);
  }
}

}  // namespace
}  // namespace weft
