// SPDX-License-Identifier: BSD-3-Clause
//
// Random graphs and fields on them, with a serial reference: every rank computes from the seed which rank owns a number
// and which wants it, and so each value.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "tests/support/core_random.hpp"
#include "weft/graph/graph_exchange.hpp"

namespace weft::testing {

using Numbers = std::vector<std::uint64_t>;

inline constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();

// What each rank owns and wants. The same on every rank for a seed.
struct Plot {
  std::vector<Numbers> owned, wanted;  // by rank
  Numbers all;                         // that somebody owns
};

enum class PlotKind { ranges, few_gaps, scattered, huge };
inline constexpr std::array plot_kinds{PlotKind::ranges, PlotKind::few_gaps, PlotKind::scattered, PlotKind::huge};

inline Plot random_plot(std::uint64_t seed, int ranks, PlotKind kind) {
  Random random(hash({seed, static_cast<std::uint64_t>(kind)}));
  Plot plot;
  plot.owned.resize(static_cast<std::size_t>(ranks));
  plot.wanted = plot.owned;
  const auto any_rank = [&] { return random.size_below(static_cast<std::size_t>(ranks)); };
  const auto count = random.chance(10) ? random.size_below(3) : 1 + random.size_below(6000);
  if (kind == PlotKind::ranges) {  // one range a rank, in any order of ranks, with gaps between them; some are empty
    std::vector<std::size_t> order(plot.owned.size());
    for (std::size_t r = 0; r < order.size(); ++r) order[r] = r;
    random.shuffle(order);
    std::uint64_t next = random.chance(2) ? 0 : largest - 14000U * static_cast<std::uint64_t>(ranks);
    for (const auto r : order) {
      next += random.size_below(50);
      for (auto n = random.chance(4) ? 0 : random.size_below(2 * count / order.size() + 2); n > 0; --n)
        plot.owned[r].push_back(next++);
    }
  } else {
    std::uint64_t number = 0;
    auto owner = any_rank();
    for (std::size_t i = 0; i < count; ++i) {
      if (kind == PlotKind::huge) {
        plot.owned[any_rank()].push_back(hash({seed, i}) | (i % 2 == 0 ? std::uint64_t{1} << 63 : 0));
        continue;
      }
      number += kind == PlotKind::scattered || random.chance(40) ? 1 + random.size_below(3) : 1;
      if (kind == PlotKind::scattered || random.chance(100)) owner = any_rank();
      plot.owned[owner].push_back(number);
    }
    if (kind == PlotKind::huge) {  // the ends of all numbers
      plot.owned[any_rank()].push_back(0);
      plot.owned[any_rank()].push_back(largest);
    }
    if (kind != PlotKind::few_gaps)
      for (auto& numbers : plot.owned) random.shuffle(numbers);
  }
  for (const auto& numbers : plot.owned) plot.all.insert(plot.all.end(), numbers.begin(), numbers.end());
  for (auto& numbers : plot.wanted) {
    if (plot.all.empty() || random.chance(5)) continue;
    for (auto n = random.size_below(2 * plot.all.size()); n > 0;) {  // some runs, with duplicates
      const auto first = random.size_below(plot.all.size());
      const auto length = std::min({n, plot.all.size() - first, 1 + random.size_below(30)});
      for (std::size_t i = 0; i < length; ++i) numbers.push_back(plot.all[first + i]);
      n -= length;
    }
    if (random.chance(2)) std::ranges::sort(numbers);
  }
  return plot;
}

// A value of a number.
template <class T>
T value_of(std::uint64_t number, std::size_t component, std::uint64_t start) {
  const auto h = hash({number, component, start});
  if constexpr (std::is_floating_point_v<T>)  // sums are rounded, so that their order counts
    return static_cast<T>(h >> 11) / static_cast<T>(1ULL << (h % 50));
  else
    return static_cast<T>(h >> 24);
}

// Two arrays with values of T in random layouts. The memory between the values must not change.
template <class T>
class Fields {
 public:
  Fields(Random& of_all_ranks, Random& of_this_rank, const Plot& plot, std::size_t me, const Reduction<T>& reduction)
      : plot_(plot), me_(me), owned_(plot.owned[me]), wanted_(plot.wanted[me]), reduction_(reduction) {
    const auto &owned = owned_, &wanted = wanted_;
    components_ = 1 + of_all_ranks.size_below(4);
    const bool each[] = {of_all_ranks.chance(2), of_all_ranks.chance(2)};  // an array per component?
    const std::size_t numbers[] = {owned.size(), wanted.size()};
    for (const std::size_t side : {0U, 1U}) {
      auto& layout = layouts_[side];
      const auto gap = of_this_rank.size_below(3);
      layout = each[side] ? ValueLayout{components_, 1 + gap, numbers[side] * (1 + gap)}
                          : ValueLayout{components_, gap == 0 ? 0 : components_ + gap, 1};
      stride_[side] = layout.stride == 0 ? components_ : layout.stride;
      data_[side].resize(numbers[side] * components_ * 4 + 5);
    }
  }
  GraphField field() { return {{data_[0], layouts_[0]}, {data_[1], layouts_[1]}, reduction_}; }
  void fill(std::uint64_t start) {
    for (auto& data : data_) std::ranges::fill(data, untouched);
    for (std::size_t i = 0; i < owned_.size(); ++i)
      for (std::size_t c = 0; c < components_; ++c) at(0, i, c) = value_of<T>(owned_[i], c, start);
    expected_ = data_[1];
  }
  void expect_copies(std::uint64_t start) {
    data_[1].swap(expected_);
    for (std::size_t j = 0; j < wanted_.size(); ++j)
      for (std::size_t c = 0; c < components_; ++c) at(1, j, c) = value_of<T>(wanted_[j], c, start);
    data_[1].swap(expected_);
    EXPECT_TRUE(data_[1] == expected_) << components_ << " components, strides " << stride_[0] << " and " << stride_[1];
  }

  void fill_copies(std::uint64_t start) {
    fill(start);
    for (std::size_t j = 0; j < wanted_.size(); ++j)
      for (std::size_t c = 0; c < components_; ++c) at(1, j, c) = value_of_copy(me_, j, c, start);
  }
  // After fill_copies() and an exchange: adds the copies of all ranks in order.
  void expect_owned(std::uint64_t start) {
    auto result = data_[0];
    fill(start);
    std::unordered_map<std::uint64_t, std::size_t> position;
    for (std::size_t i = 0; i < owned_.size(); ++i) position[owned_[i]] = i;
    for (std::size_t r = 0; r < plot_.wanted.size(); ++r)
      for (std::size_t j = 0; j < plot_.wanted[r].size(); ++j)
        if (const auto found = position.find(plot_.wanted[r][j]); found != position.end())
          for (std::size_t c = 0; c < components_; ++c) {
            auto value = value_of_copy(r, j, c, start);
            reduction_.of_bytes.combine(&at(0, found->second, c), &value, 1);
            at(0, found->second, c) = value;
          }
    EXPECT_TRUE(result == data_[0]) << components_ << " components, strides " << stride_[0] << " and " << stride_[1];
  }

 private:
  static T value_of_copy(std::size_t rank, std::size_t copy, std::size_t component, std::uint64_t start) {
    return value_of<T>(hash({rank, copy}), component, start);
  }
  static constexpr T untouched = static_cast<T>(77);
  T& at(std::size_t side, std::size_t number, std::size_t component) {
    return data_[side][number * stride_[side] + component * layouts_[side].component_stride];
  }

  const Plot& plot_;
  std::size_t me_;
  const Numbers &owned_, &wanted_;
  Reduction<T> reduction_;
  std::size_t components_ = 1;
  ValueLayout layouts_[2];
  std::size_t stride_[2] = {};
  std::vector<T> data_[2], expected_;
};

}  // namespace weft::testing
