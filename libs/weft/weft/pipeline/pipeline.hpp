// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/pipeline/in_flight.hpp"
#include "weft/progress/progress.hpp"
#include "weft/timeline/timeline.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/transport.hpp"

namespace weft {

/// Value of `iterations` and `options.tiles` for a loop of unknown length, which ends when `compute` returns false.
inline constexpr std::size_t endless = std::size_t{1} << 62;

/// How a loop is divided into tiles, and how many of them are in flight.
struct PipelineOptions {
  std::size_t tile = 1;    ///< iterations that are computed and sent together
  std::size_t window = 1;  ///< tiles in flight while the next is computed; 0: each is waited for (blocking)
  /// Makes progress on them; null: polling in Tile::progress(), with the defaults of ProgressOptions. Outlives the
  /// call.
  Progress* progress = nullptr;
  std::size_t tiles = 0;         ///< largest number of tiles of all ranks, if all ranks have it; 0: by an all-reduce
  Timeline* timeline = nullptr;  ///< records the waits for tiles; borrowed, may be null
  const char* client = "";       ///< name of their track there, besides that of the exchange as a whole
};

namespace detail {

/// Records a pipeline's waits. Its handles don't, because they are tested until nothing is left to wait for.
class PipelineWaits {
 public:
  explicit PipelineWaits(const PipelineOptions& options) : timeline_(options.timeline) {
    if (timeline_ == nullptr) return;
    tracks_ = {timeline_->track("exchange"), timeline_->track(options.client)};
  }
  double now() const { return timeline_ != nullptr ? now_seconds() : 0; }
  void add(double from) const {
    if (timeline_ == nullptr) return;
    const double until = now_seconds();
    for (const auto track : tracks_) timeline_->add(track, Activity::wait, from, until);
  }

 private:
  Timeline* timeline_;
  std::array<std::size_t, 2> tracks_{};
};

}  // namespace detail

/// Iterations [first, first + count) of this rank's loop. The last tile may be short. A rank that has fewer iterations
/// than another one takes part with empty tiles at the end.
struct Tile {
  std::size_t index = 0;  ///< the same on all ranks for tiles that are sent together
  std::size_t first = 0;  ///< first iteration, of this rank's loop
  std::size_t count = 0;  ///< number of iterations
  std::size_t slot = 0;   ///< buffer index: index modulo (window + 1)

  /// Whether this rank has nothing to compute in this tile.
  bool empty() const { return count == 0; }
  /// One past the last iteration.
  std::size_t end() const { return first + count; }
  /// Makes progress on the tiles in flight, if options.progress is `polling`; cheap if no progress call is due. 4 to 16
  /// calls per tile are enough.
  void progress() const {
    if (in_flight_ != nullptr) Progress::poll(progress_, *in_flight_);
  }

  Progress* progress_ = nullptr;  ///< pipeline()'s own
  Driven* in_flight_ = nullptr;   ///< pipeline()'s own
};

/// Overlaps the communication of a loop's tiles with the computation of the next tiles (Hoefler, Gottschling,
/// Lumsdaine: "Leveraging Non-Blocking Collective Communication in High-Performance Applications", SPAA 2008; LibNBC's
/// templates).
///
///     std::vector<Planes> buffers(3);                      // window + 1
///     pipeline(
///         world, planes, {.tile = 4, .window = 2}, std::span(buffers),
///         [&](const Tile& t, Planes& b) { transform [t.first, t.end()) into b; now and then t.progress(); },
///         [&](const Tile& t, Planes&) -> Operation& { all_to_all[t.slot]->start(); return *all_to_all[t.slot]; },
///         [&](const Tile& t, Planes& b) { use the data received in b; });
///
/// For window 2, where C computes, S starts and U uses (consumes) a tile: C0 S0, C1 S1, C2 S2 U0, C3 S3 U1, ..., U(n-2)
/// U(n-1). Before each U, that tile is waited for with test and yield.
///
/// compute(tile, buffer), communicate(tile, buffer) and consume(tile, buffer) are called for every tile, also an empty
/// one, in this order, by the calling thread. A buffer belongs to its tile from compute until consume returns; there
/// are (at least) window + 1 of them, used in rotation, so that persistent operations can be created once, one per
/// slot. communicate returns what it has started (see test_handle); it must not block and starts collectives in the
/// order of tiles, the same on every rank.
///
/// If compute returns a bool, it can end the loop, for an amount of work that is not known in advance: with false the
/// tile is not sent. The ranks then do not agree on a number of tiles: use only point-to-point messages, and `endless`
/// for iterations and options.tiles.
///
/// An exception of a functor propagates. This rank's communications in flight are cancelled: exchanges as
/// StartedExchange describes, so that ranks that wait for them get an error; other communications get a second to
/// complete, and the rest is leaked. An exchange with a part that was not marked ready, in any of its rounds, throws an
/// Error that names it.
///
/// Collective over `transport` unless options.tiles is given. Throws Error if there are too few buffers or tile is 0.
template <class Buffer, class Compute, class Communicate, class Consume>
void pipeline(Transport& transport, std::size_t iterations, const PipelineOptions& options, std::span<Buffer> buffers,
              Compute&& compute, Communicate&& communicate, Consume&& consume) {
  using Returned = std::invoke_result_t<Communicate&, const Tile&, Buffer&>;
  constexpr bool by_reference = std::is_lvalue_reference_v<Returned>;
  using Handle = std::conditional_t<by_reference, std::remove_reference_t<Returned>*, std::remove_cvref_t<Returned>>;

  const std::size_t slots = options.window + 1;
  if (options.tile == 0) throw Error("The tile of a pipeline is 0 (it would never end). Use 1 or more.", true);
  if (buffers.size() < slots)
    throw Error("A pipeline with a window of " + std::to_string(options.window) + " has " +
                std::to_string(buffers.size()) + " buffers. Give it window + 1 buffers.");
  const std::size_t mine = iterations / options.tile + (iterations % options.tile != 0 ? 1 : 0);
  const std::size_t tiles = options.tiles > 0 ? options.tiles : all_reduce(transport, mine, maximum<std::size_t>());
  if (mine > tiles)
    throw Error("A pipeline has more tiles than options.tiles. Give the largest number of tiles of all ranks.");

  InFlight<Handle> in_flight(slots, options.progress);
  const auto tile = [&](std::size_t index) {
    const auto first = std::min(index * options.tile, iterations);
    return Tile{.index = index,
                .first = first,
                .count = std::min(options.tile, iterations - first),
                .slot = index % slots,
                .progress_ = options.progress,
                .in_flight_ = &in_flight};
  };
  const detail::PipelineWaits waits(options);
  const auto finish = [&](std::size_t index) {
    const Tile t = tile(index);
    const double from = waits.now();
    in_flight.take(t.slot);
    waits.add(from);
    consume(t, buffers[t.slot]);
  };
  std::size_t started = 0;
  for (std::size_t k = 0; k < tiles; ++k) {
    const Tile t = tile(k);
    if constexpr (std::is_same_v<std::invoke_result_t<Compute&, const Tile&, Buffer&>, bool>) {
      if (!compute(t, buffers[t.slot])) break;
    } else {
      compute(t, buffers[t.slot]);
    }
    if constexpr (by_reference) {
      in_flight.put(t.slot, &communicate(t, buffers[t.slot]));
    } else {
      in_flight.put(t.slot, communicate(t, buffers[t.slot]));
    }
    ++started;
    if (k >= options.window) finish(k - options.window);
  }
  for (std::size_t k = started - std::min(started, options.window); k < started; ++k) finish(k);
}

/// The same with window + 1 buffers that are created for the call: pipeline<Buffer>(world, n, {...}, compute, ...).
template <class Buffer, class Compute, class Communicate, class Consume>
void pipeline(Transport& transport, std::size_t iterations, const PipelineOptions& options, Compute&& compute,
              Communicate&& communicate, Consume&& consume) {
  std::vector<Buffer> buffers(options.window + 1);
  pipeline(transport, iterations, options, std::span<Buffer>(buffers), std::forward<Compute>(compute),
           std::forward<Communicate>(communicate), std::forward<Consume>(consume));
}

}  // namespace weft
