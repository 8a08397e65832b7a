// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/detail/components.hpp"

#include <algorithm>
#include <array>

#include "weft/transport/collectives.hpp"

namespace weft::geometry::detail {

namespace {

// Sideways neighbours such that each pair of lines is visited once.
constexpr std::array<std::array<int, 2>, 4> sideways{{{1, 0}, {-1, 1}, {0, 1}, {1, 1}}};

// A set of connected runs, with the same label on every rank: the rank and the set's smallest run.
using Label = std::uint64_t;
Label label_of(int rank, std::uint32_t run) { return static_cast<Label>(rank) << 32U | run; }

struct LabelPair {
  Label a, b;
  auto operator<=>(const LabelPair&) const = default;
};

// A message: "my set has a link to your site here".
struct Touch {
  Position site;
  std::uint32_t run;
};

std::uint32_t link_bit(const std::array<int, 2>& side, int dz) { return 1U << link_index(side[0], side[1], dz); }

// Whether a site of run a has a link to a site of run b, which lies beside it.
bool touch(const Share& share, const Run& a, const Run& b, const std::array<int, 2>& side) {
  const auto low = std::max(a.first[2], b.first[2] - 1), high = std::min(a.last_z(), b.last_z() + 1);
  for (auto z = low; z <= high; ++z) {
    const auto fluid = share.fluid[a.site + static_cast<std::uint32_t>(z - a.first[2])];
    for (int dz = -1; dz <= 1; ++dz)
      if ((fluid & link_bit(side, dz)) != 0 && z + dz >= b.first[2] && z + dz <= b.last_z()) return true;
  }
  return false;
}

// One touch for each site of another rank that run r has links to.
void add_touches(const Share& share, std::uint32_t r, const std::array<int, 2>& side, std::vector<Touch>& touches) {
  const auto& run = share.runs[r];
  for (std::uint32_t i = 0; i < run.count; ++i)
    for (int dz = -1; dz <= 1; ++dz) {
      if ((share.fluid[run.site + i] & link_bit(side, dz)) == 0) continue;
      // The site below in this run has already reported it.
      if (dz < 1 && i > 0 && (share.fluid[run.site + i - 1] & link_bit(side, dz + 1)) != 0) continue;
      const auto p = run.position(i);
      touches.push_back({{p[0] + side[0], p[1] + side[1], p[2] + dz}, r});
    }
}

std::uint32_t run_at(const Share& share, const Tiling& tiling, const Position& p) {
  const auto [first, last] = share.line(tiling, p[0], p[1]);
  const auto begin = share.runs.begin();
  const auto after = std::upper_bound(begin + first, begin + last, p[2],
                                      [](std::int32_t z, const Run& run) { return z < run.first[2]; });
  return static_cast<std::uint32_t>(after - begin) - 1;
}

std::vector<Label> seeds(const Share& share, DisjointSets& sets, int rank) {
  std::vector<Label> labels;
  std::uint32_t run = 0;
  for (const auto& cut : share.cuts) {  // by site, as the runs are
    if (cut.opening == Cut::wall) continue;
    while (cut.site >= share.runs[run].site + share.runs[run].count) ++run;
    labels.push_back(label_of(rank, sets.find(run)));
  }
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

template <class T>
std::vector<T> joined(const std::vector<std::vector<T>>& parts) {
  std::vector<T> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// On rank 0: for each rank, the labels that a chain of pairs connects to a seed.
std::vector<std::vector<Label>> reached(const std::vector<LabelPair>& pairs, const std::vector<Label>& seeds,
                                        int ranks) {
  std::vector<Label> labels = seeds;
  for (const auto& pair : pairs) {
    labels.push_back(pair.a);
    labels.push_back(pair.b);
  }
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  const auto number = [&](Label label) {
    return static_cast<std::uint32_t>(std::lower_bound(labels.begin(), labels.end(), label) - labels.begin());
  };
  DisjointSets sets(labels.size());
  for (const auto& pair : pairs) sets.join(number(pair.a), number(pair.b));
  std::vector<bool> keep(labels.size(), false);
  for (const auto seed : seeds) keep[sets.find(number(seed))] = true;
  std::vector<std::vector<Label>> result(static_cast<std::size_t>(ranks));
  for (std::uint32_t i = 0; i < labels.size(); ++i)
    if (keep[sets.find(i)]) result[labels[i] >> 32U].push_back(labels[i]);
  return result;
}

}  // namespace

std::vector<std::uint8_t> connected_to_openings(Transport& transport, const Share& share, const Tiling& tiling,
                                                const Grid& grid) {
  const int me = transport.rank();
  const auto ranks = static_cast<std::size_t>(transport.size());
  DisjointSets sets(share.runs.size());
  std::vector<std::vector<Touch>> touches(ranks);
  for (std::uint32_t r = 0; r < share.runs.size(); ++r) {
    const auto& run = share.runs[r];
    for (const auto& side : sideways) {
      const auto x = run.first[0] + side[0], y = run.first[1] + side[1];
      if (x < 0 || x >= grid.extent[0] || y >= grid.extent[1]) continue;
      const auto owner = tiling.rank_of(tiling.tile_of(x, y));
      if (owner != me) {
        add_touches(share, r, side, touches[static_cast<std::size_t>(owner)]);
        continue;
      }
      const auto [first, last] = share.line(tiling, x, y);
      for (auto other = first; other < last; ++other)
        if (touch(share, run, share.runs[other], side)) sets.join(r, other);
    }
  }
  for (auto& to : touches)
    for (auto& t : to) t.run = sets.find(t.run);

  std::vector<LabelPair> pairs;
  const auto arrived = all_to_all(transport, touches);
  for (std::size_t from = 0; from < ranks; ++from)
    for (const auto& t : arrived[from])
      pairs.push_back(
          {label_of(static_cast<int>(from), t.run), label_of(me, sets.find(run_at(share, tiling, t.site)))});
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());

  const auto all_pairs = joined(gather(transport, pairs));
  const auto all_seeds = joined(gather(transport, seeds(share, sets, me)));
  std::vector<std::vector<Label>> verdict(ranks);
  if (me == 0) verdict = reached(all_pairs, all_seeds, transport.size());

  std::vector<std::uint8_t> keep(share.runs.size(), 0);
  verdict = all_to_all(transport, verdict);
  for (const auto label : verdict[0]) keep[static_cast<std::uint32_t>(label)] = 1;
  for (std::uint32_t r = 0; r < keep.size(); ++r) keep[r] = keep[sets.find(r)];
  return keep;
}

}  // namespace weft::geometry::detail
