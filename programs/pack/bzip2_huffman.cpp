// SPDX-License-Identifier: BSD-3-Clause
#include "pack/bzip2_huffman.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace weft::pack {
namespace {

constexpr int longest = 17, turns = 4;

std::size_t table_count(std::size_t symbols) {
  return symbols < 200 ? 2 : symbols < 600 ? 3 : symbols < 1200 ? 4 : symbols < 2400 ? 5 : 6;
}

// Initial tables: the alphabet is divided into shares of about equal frequency, each cheap in one table.
std::vector<HuffmanTables::Lengths> first_tables(std::span<const std::uint16_t> symbols, std::size_t alphabet,
                                                 std::size_t tables) {
  std::array<std::uint32_t, 258> frequency{};
  for (const auto s : symbols) ++frequency[s];
  std::vector<HuffmanTables::Lengths> lengths(tables);
  auto left = symbols.size();
  std::size_t from = 0;
  for (auto t = tables; t > 0; --t) {
    std::size_t sum = 0, to = from;
    while (to < alphabet && (sum == 0 || sum + frequency[to] / 2 <= left / t)) sum += frequency[to++];
    for (std::size_t s = 0; s < 258; ++s) lengths[t - 1][s] = s >= from && s < to ? 0 : 15;
    left -= std::min(left, sum);
    from = to;
  }
  return lengths;
}

// The costs of a symbol in all tables, adjacent, so that one vector addition handles them all.
struct alignas(16) Costs {
  std::array<std::uint16_t, 8> of{};
};

void assign_codes(HuffmanTables& t, std::size_t alphabet) {
  t.codes.resize(t.lengths.size());
  for (std::size_t k = 0; k < t.lengths.size(); ++k) {
    std::uint32_t code = 0;
    for (int n = 1; n <= longest; ++n, code <<= 1)
      for (std::size_t s = 0; s < alphabet; ++s)
        if (t.lengths[k][s] == n) t.codes[k][s] = code++;
  }
}

// Code lengths of 1 to 17 bits for these frequencies (0 counts as 1).
void code_lengths(std::span<const std::uint32_t> frequencies, HuffmanTables::Lengths& lengths) {
  const auto n = frequencies.size();
  std::array<std::uint32_t, 258> weight{};
  std::array<std::uint16_t, 258> order{};
  std::array<std::uint64_t, 516> node{};
  std::array<std::uint16_t, 516> parent{}, depth{};
  for (std::size_t s = 0; s < n; ++s) weight[s] = std::max<std::uint32_t>(1, frequencies[s]);
  for (;;) {
    std::iota(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n), std::uint16_t{0});
    std::stable_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n),
                     [&](auto a, auto b) { return weight[a] < weight[b]; });
    for (std::size_t i = 0; i < n; ++i) node[i] = weight[order[i]];
    // Leaves, then inner nodes, both ascending: the two smallest are always at the front of the two lists.
    std::size_t leaf = 0, inner = n, end = n;
    const auto smallest = [&] { return leaf < n && (inner == end || node[leaf] <= node[inner]) ? leaf++ : inner++; };
    while (end < 2 * n - 1) {
      const auto a = smallest(), b = smallest();
      node[end] = node[a] + node[b];
      parent[a] = parent[b] = static_cast<std::uint16_t>(end++);
    }
    depth[end - 1] = 0;
    int deepest = 0;
    for (auto i = end - 1; i-- > 0;) {
      depth[i] = static_cast<std::uint16_t>(depth[parent[i]] + 1);
      deepest = std::max<int>(deepest, depth[i]);
    }
    for (std::size_t i = 0; i < n; ++i) lengths[order[i]] = static_cast<std::uint8_t>(depth[i]);
    if (deepest <= longest) return;
    for (std::size_t s = 0; s < n; ++s) weight[s] = weight[s] / 2 + 1;  // flatter
  }
}

}  // namespace

HuffmanTables fit_tables(std::span<const std::uint16_t> symbols, std::size_t alphabet) {
  HuffmanTables t;
  const auto tables = table_count(symbols.size());
  t.lengths = first_tables(symbols, alphabet, tables);
  t.selectors.resize((symbols.size() + HuffmanTables::group_size - 1) / HuffmanTables::group_size);
  std::array<Costs, 258> costs;
  std::vector<std::array<std::uint32_t, 258>> frequency(tables);
  for (int turn = 0; turn < turns; ++turn) {
    for (std::size_t s = 0; s < alphabet; ++s)
      for (std::size_t k = 0; k < 8; ++k) costs[s].of[k] = k < tables ? t.lengths[k][s] : std::uint16_t{600};
    for (auto& f : frequency) f.fill(0);
    for (std::size_t g = 0; g < t.selectors.size(); ++g) {
      const auto first = g * HuffmanTables::group_size;
      const auto group = symbols.subspan(first, std::min(HuffmanTables::group_size, symbols.size() - first));
      Costs sum;
      for (const auto s : group)
        for (std::size_t k = 0; k < 8; ++k) sum.of[k] = static_cast<std::uint16_t>(sum.of[k] + costs[s].of[k]);
      const auto best = static_cast<std::size_t>(
          std::min_element(sum.of.begin(), sum.of.begin() + static_cast<std::ptrdiff_t>(tables)) - sum.of.begin());
      t.selectors[g] = static_cast<std::uint8_t>(best);
      for (const auto s : group) ++frequency[best][s];
    }
    for (std::size_t k = 0; k < tables; ++k) code_lengths(std::span(frequency[k]).first(alphabet), t.lengths[k]);
  }
  assign_codes(t, alphabet);
  return t;
}

}  // namespace weft::pack
