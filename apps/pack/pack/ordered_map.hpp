// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "pack/codec.hpp"
#include "weft/progress/progress.hpp"
#include "weft/timeline/timeline.hpp"
#include "weft/transport/transport.hpp"

namespace weft::pack {

/// One piece of the input.
struct Block {
  std::uint64_t index = 0;                  ///< the same order as of the output
  std::uint64_t from = 0;                   ///< where it lies in the input
  std::uint64_t bytes = 0;                  ///< of input
  std::uint64_t expected = Codec::unknown;  ///< of output, if it is known
};

/// What is done to the blocks. An exception in any of these ends the map on all ranks.
struct Work {
  /// Rank 0: the next block, numbered from 0, or nothing at the end. Fills `data` where it reads for all.
  std::function<std::optional<Block>(Bytes& data)> next;
  /// Any rank: the block's input. Empty: `next` fills it.
  std::function<void(const Block&, Bytes& in)> read;
  /// Any rank.
  std::function<void(const Block&, View in, Bytes& out)> transform;
  /// Rank 0, in the order of the blocks: a block's output is `bytes` long and begins at `at` in the output. `out` holds
  /// it where rank 0 writes, and is empty otherwise. May be called by a helper thread, never by two at once.
  std::function<void(const Block&, std::uint64_t at, std::uint64_t bytes, View out)> in_order;
  /// Any rank, in no order, where all write.
  std::function<void(std::uint64_t at, View out)> write_at;
};

struct MapOptions {
  enum class Way : std::uint8_t {
    gather,    ///< results travel to rank 0 while the next blocks are computed
    parallel,  ///< ranks ask rank 0 where their results go, and write them themselves
    after,     ///< results travel when all are computed: for comparison; holds them all
  };
  Way way = Way::gather;
  std::size_t window = 3;        ///< results of a rank that are under way while it computes the next
  Progress* progress = nullptr;  ///< who drives them, besides the ranks themselves between blocks
  /// Where each rank's computing thread writes down what it does, as "block"; borrowed, may be null. What rank 0's
  /// lanes do is left out: whoever drives does it.
  Timeline* timeline = nullptr;
};

/// Transforms blocks on all ranks, in an order that is preserved.
///
/// Rank 0 deals the blocks out one by one (they take unevenly long), works itself, and writes or places the results in
/// order; each rank's blocks go through a `pipeline` whose communication is the result's way to rank 0 (windowed, as in
/// paper 004, but point to point, since nobody knows who will have how many). That way is a `Lane`, an exchange between
/// rank 0 and one worker. Memory: at most 3 x (window + 2) blocks a rank, on rank 0 as many for each rank. Costs
/// window + 2 commits for each rank but rank 0 in the beginning.
///
/// Collective. An error of any rank is thrown on every rank (`everywhere`), with nothing left in flight.
void ordered_map(Transport& transport, const Work& work, const MapOptions& options);

}  // namespace weft::pack
