// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/detail/block_scan.hpp"

#include <algorithm>

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

}  // namespace weft::geometry::detail
