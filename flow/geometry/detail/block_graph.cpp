// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/detail/block_graph.hpp"

#include <metis.h>

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>

#include "weft/error.hpp"

namespace weft::geometry::detail {

bool BlockScan::next() {
  while (piece_ == pieces_.size())
    if (!next_column()) return false;
  const auto block = pieces_[piece_].block;
  id_ = grid_.block_id({column_[0], column_[1], block * block_width});
  sites_ = cuts_ = 0;
  mask_.fill(0);
  for (; piece_ < pieces_.size() && pieces_[piece_].block == block; ++piece_) add(pieces_[piece_]);
  return true;
}

void BlockScan::add(const Piece& piece) {
  constexpr unsigned upwards = block_width * block_width;
  auto cut = piece.first_cut;
  for (std::uint32_t i = 0; i < piece.count; ++i) {
    const auto bit = piece.bit + i * upwards;
    mask_[bit / 64] |= std::uint64_t{1} << bit % 64;
    site_[bit] = piece.site + i;
    first_cut_[bit] = cut;
    cut += cuts_of(share_.fluid[piece.site + i]);
  }
  sites_ += piece.count;
  cuts_ += static_cast<std::uint32_t>(cut - piece.first_cut);
}

bool BlockScan::next_column() {
  pieces_.clear();
  piece_ = 0;
  if (tile_ == share_.tiles.size()) return false;
  const auto& tile = share_.tiles[tile_];
  const auto origin = tiling_.origin(tile.number);
  column_ = {origin[0] + x_, origin[1] + y_, 0};
  for (std::int32_t y = 0; y < block_width; ++y)
    for (std::int32_t x = 0; x < block_width; ++x) {
      const auto line = static_cast<std::size_t>((y_ + y) * tiling_.width() + x_ + x);
      cut_up_line(tile.line_runs[line], tile.line_runs[line + 1], static_cast<unsigned>(y * block_width + x));
    }
  std::sort(pieces_.begin(), pieces_.end(), [](const Piece& a, const Piece& b) { return a.block < b.block; });

  x_ += block_width;
  if (x_ == tiling_.width()) {
    x_ = 0;
    y_ += block_width;
  }
  if (y_ == tiling_.width()) {
    y_ = 0;
    ++tile_;
  }
  return true;
}

// The sites of a line are adjacent in the share, and so are their cuts: only the first must be searched.
void BlockScan::cut_up_line(std::uint32_t first_run, std::uint32_t last_run, unsigned bit) {
  if (first_run == last_run) return;
  const auto first = std::lower_bound(share_.cuts.begin(), share_.cuts.end(), share_.runs[first_run].site,
                                      [](const Cut& cut, std::uint32_t site) { return cut.site < site; });
  auto cut = static_cast<std::size_t>(first - share_.cuts.begin());
  for (auto r = first_run; r < last_run; ++r) {
    const auto& run = share_.runs[r];
    for (std::uint32_t i = 0; i < run.count;) {
      const auto z = run.first[2] + static_cast<std::int32_t>(i);
      const auto room = static_cast<std::uint32_t>(block_width - z % block_width);
      const auto count = std::min(room, run.count - i);
      const auto layer = static_cast<unsigned>(z % block_width * block_width * block_width);
      if (keep_[r] != 0) pieces_.push_back({z / block_width, run.site + i, count, layer + bit, cut});
      for (std::uint32_t k = 0; k < count; ++k) cut += cuts_of(share_.fluid[run.site + i + k]);
      i += count;
    }
  }
}

namespace {

// The sites on a block's faces, whose links may leave it.
constexpr BlockMask outermost_sites() {
  BlockMask mask{};
  for (unsigned bit = 0; bit < block_sites; ++bit)
    for (const auto c : place_in_block(bit))
      if (c == 0 || c == block_width - 1) mask[bit / 64] |= std::uint64_t{1} << bit % 64;
  return mask;
}

// The number of links from a block to each neighbour. Only forward links, so that each link counts once.
std::array<std::int32_t, 27> leaving_links(const BlockScan& scan) {
  static constexpr auto outermost = outermost_sites();
  std::array<std::int32_t, 27> links{};
  auto mask = scan.mask();
  for (std::size_t word = 0; word < mask.size(); ++word) mask[word] &= outermost[word];
  each_bit(mask, [&](unsigned bit) {
    const auto place = place_in_block(bit);
    const auto fluid = scan.fluid(bit);
    for (int link = 14; link < 27; ++link) {
      if ((fluid >> static_cast<unsigned>(link) & 1U) == 0) continue;
      const auto step = link_offset(link);
      const auto leaves = [&](std::size_t k) {
        const int c = place[k] + step[k];
        return c < 0 ? -1 : c >= block_width ? 1 : 0;
      };
      ++links[static_cast<std::size_t>(link_index(leaves(0), leaves(1), leaves(2)))];
    }
  });
  return links;
}

}  // namespace

BlockGraph block_graph(BlockScan scan, const Grid& grid) {
  BlockGraph graph;
  const auto across = grid.blocks();
  while (scan.next()) {
    const auto id = scan.id();
    graph.blocks.push_back({id, scan.sites(), scan.cuts()});
    const auto leaving = leaving_links(scan);
    for (int to = 0; to < 27; ++to) {
      const auto links = leaving[static_cast<std::size_t>(to)];
      if (links == 0 || to == link_index(0, 0, 0)) continue;
      const auto step = link_offset(to);
      const auto other = id + (std::int64_t{step[2]} * across[1] + step[1]) * across[0] + step[0];
      graph.edges.push_back({std::min(id, other), std::max(id, other), links});
    }
  }
  normalise(graph);
  return graph;
}

void normalise(BlockGraph& graph) {
  std::sort(graph.blocks.begin(), graph.blocks.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
  auto& edges = graph.edges;
  std::sort(edges.begin(), edges.end(),
            [](const auto& x, const auto& y) { return std::tie(x.a, x.b) < std::tie(y.a, y.b); });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (kept > 0 && edges[kept - 1].a == edges[i].a && edges[kept - 1].b == edges[i].b) {
      edges[kept - 1].links += edges[i].links;
    } else {
      edges[kept++] = edges[i];
    }
  }
  edges.resize(kept);
}

namespace {

// A graph in METIS's format.
struct Csr {
  std::vector<idx_t> start, neighbour, links, sites;
};

Csr compressed(const BlockGraph& graph) {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<idx_t>::max());
  if (graph.blocks.size() >= most || 2 * graph.edges.size() >= most)
    throw Error("The graph of blocks has " + std::to_string(graph.edges.size()) +
                " edges (this METIS numbers edges with 32 bits). Build METIS with 64-bit indices.");
  const auto number = [&](std::int64_t id) {
    const auto at = std::lower_bound(graph.blocks.begin(), graph.blocks.end(), id,
                                     [](const BlockGraph::Block& b, std::int64_t i) { return b.id < i; });
    return static_cast<std::size_t>(at - graph.blocks.begin());
  };
  Csr csr;
  csr.start.assign(graph.blocks.size() + 1, 0);
  for (const auto& block : graph.blocks) csr.sites.push_back(static_cast<idx_t>(block.sites));
  std::vector<std::array<std::size_t, 2>> ends;
  for (const auto& e : graph.edges) {
    const auto& [a, b] = ends.emplace_back(std::array{number(e.a), number(e.b)});
    ++csr.start[a + 1];
    ++csr.start[b + 1];
  }
  for (std::size_t i = 1; i < csr.start.size(); ++i) csr.start[i] += csr.start[i - 1];
  auto next = csr.start;
  csr.neighbour.resize(2 * ends.size());
  csr.links.resize(2 * ends.size());
  const auto put = [&](std::size_t from, std::size_t to, std::int64_t links) {
    const auto at = static_cast<std::size_t>(next[from]++);
    csr.neighbour[at] = static_cast<idx_t>(to);
    csr.links[at] = static_cast<idx_t>(links);
  };
  for (std::size_t i = 0; i < ends.size(); ++i) {
    put(ends[i][0], ends[i][1], graph.edges[i].links);
    put(ends[i][1], ends[i][0], graph.edges[i].links);
  }
  return csr;
}

// Gives each part without a block the last block of the part with most blocks.
void fill_empty_parts(std::vector<int>& part, int parts) {
  std::vector<std::size_t> count(static_cast<std::size_t>(parts), 0);
  for (const auto p : part) ++count[static_cast<std::size_t>(p)];
  for (int p = 0; p < parts; ++p) {
    if (count[static_cast<std::size_t>(p)] > 0) continue;
    const auto richest = static_cast<int>(std::max_element(count.begin(), count.end()) - count.begin());
    *std::find(part.rbegin(), part.rend(), richest) = p;
    --count[static_cast<std::size_t>(richest)];
    ++count[static_cast<std::size_t>(p)];
  }
}

// Consecutive blocks, each with about the same number of sites.
std::vector<int> slices(const BlockGraph& graph, int parts) {
  std::int64_t all = 0, before = 0;
  for (const auto& block : graph.blocks) all += block.sites;
  std::vector<int> part;
  for (const auto& block : graph.blocks) {
    const auto middle = static_cast<double>(before) + 0.5 * static_cast<double>(block.sites);
    part.push_back(std::min(static_cast<int>(middle / static_cast<double>(all) * parts), parts - 1));
    before += block.sites;
  }
  fill_empty_parts(part, parts);
  return part;
}

}  // namespace

std::vector<int> divide(const BlockGraph& graph, int parts) {
  std::vector<int> result(graph.blocks.size(), 0);
  if (parts == 1) return result;
  constexpr std::size_t few_blocks = 4;
  if (graph.blocks.size() < few_blocks * static_cast<std::size_t>(parts)) return slices(graph, parts);
  auto csr = compressed(graph);
  auto vertices = static_cast<idx_t>(graph.blocks.size());
  idx_t constraints = 1, wanted = parts, cut = 0;
  std::array<idx_t, METIS_NOPTIONS> options{};
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = 1;
  std::vector<idx_t> part(graph.blocks.size(), 0);
  constexpr int few = 8;  // up to this number recursive bisection cuts fewer edges, according to METIS's manual
  const auto divide_with = parts <= few ? METIS_PartGraphRecursive : METIS_PartGraphKway;
  const int status =
      divide_with(&vertices, &constraints, csr.start.data(), csr.neighbour.data(), csr.sites.data(), nullptr,
                  csr.links.data(), &wanted, nullptr, nullptr, options.data(), &cut, part.data());
  if (status != METIS_OK)
    throw Error("METIS failed to divide " + std::to_string(vertices) + " blocks into " + std::to_string(parts) +
                " parts (status " + std::to_string(status) + "). Check that there is enough memory.");
  std::copy(part.begin(), part.end(), result.begin());
  fill_empty_parts(result, parts);
  return result;
}

}  // namespace weft::geometry::detail
