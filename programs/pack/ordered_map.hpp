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
  std::uint64_t index = 0;                  ///< the order of the output, too
  std::uint64_t from = 0;                   ///< its offset in the input
  std::uint64_t bytes = 0;                  ///< of input
  std::uint64_t expected = Codec::unknown;  ///< size of its output, if it is known
  std::uint64_t note = 0;                   ///< what `transform` leaves for `in_order`
  std::uint64_t place = 0;                  ///< offset of its output, if it is known
};

/// The functions applied to the blocks. An exception in any of them ends the map on all ranks.
struct Work {
  /// On rank 0: the next block, numbered from 0, or nothing at the end. Fills `data` if it reads for all.
  std::function<std::optional<Block>(Bytes& data)> next;
  /// On any rank: reads the block's input. Empty: `next` fills it.
  std::function<void(const Block&, Bytes& in)> read;
  /// On any rank. May set the block's note.
  std::function<void(Block&, View in, Bytes& out)> transform;
  /// On rank 0, in the order of the blocks: a block's output has `bytes` bytes from offset `at` of the output. `out`
  /// contains it if rank 0 writes, and is empty otherwise. A progress thread may call it, but never two threads at
  /// once.
  std::function<void(const Block&, std::uint64_t at, std::uint64_t bytes, View out)> in_order;
  /// On any rank, in no order, if all ranks write.
  std::function<void(std::uint64_t at, View out)> write_at;
};

struct MapOptions {
  enum class Way : std::uint8_t {
    gather,    ///< results are sent to rank 0 while the next blocks are computed
    parallel,  ///< ranks get the positions of their results from rank 0, and write them themselves
    after,     ///< results are sent after all are computed: for comparison; stores them all
  };
  Way way = Way::gather;
  std::size_t window = 3;        ///< results of a rank in flight while it computes the next one
  Progress* progress = nullptr;  ///< makes progress on them, besides the ranks themselves between blocks
  /// Where each rank's computing thread records its activity, as "block"; must outlive the map, may be null. Rank 0's
  /// lanes are omitted, since any thread may serve them.
  Timeline* timeline = nullptr;
};

/// Transforms blocks on all ranks and preserves their order.
///
/// Rank 0 assigns the blocks one by one (their durations vary), works itself, and writes or places the results in
/// order; each rank's blocks go through a `pipeline` whose communication sends the results to rank 0 (with a window, as
/// in paper 004, but point to point, since the number of blocks per rank is unknown). Each connection is a `Lane`, an
/// exchange between rank 0 and one worker. Memory: at most 3 x (window + 2) blocks per rank; on rank 0 that many for
/// each rank. Costs window + 2 commits at the beginning for each rank except rank 0.
///
/// Collective. An error of any rank is thrown on every rank (`everywhere`), with nothing left in flight.
void ordered_map(Transport& transport, const Work& work, const MapOptions& options);

}  // namespace weft::pack
