// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <exception>
#include <limits>
#include <memory>
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
#include "weft/transport/failure.hpp"
#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {

/// The value of `iterations` and `options.tiles` for a loop of unknown length, which `compute` ends by returning false.
inline constexpr std::size_t endless = std::size_t{1} << 62;

/// How pipeline() divides a loop into tiles. A tile is in flight from the start of its communication to the completion.
struct PipelineOptions {
  std::size_t tile = 1;    ///< iterations per tile, whose results are sent together
  std::size_t window = 1;  ///< tiles in flight while the next one is computed; 0: none, so nothing overlaps
  /// Makes progress on the tiles in flight; borrowed until pipeline() returns. Null: polling in Tile::progress(), with
  /// the defaults of ProgressOptions.
  Progress* progress = nullptr;
  /// The largest number of tiles of any rank. Set it on all ranks, or on none. 0: pipeline() finds it by an all-reduce.
  std::size_t tiles = 0;
  Timeline* timeline = nullptr;  ///< records the waits for tiles; borrowed, may be null
  const char* client = "";       ///< the timeline's track for these waits, in addition to "exchange"
};

namespace detail {

/// Records a pipeline's waits. The handles can't: pipeline() tests a handle until it is complete, so the handle's own
/// wait() returns at once.
class PipelineWaits {
 public:
  explicit PipelineWaits(const PipelineOptions& options) : timeline_(options.timeline) {
    if (timeline_ == nullptr) return;
    const std::string client = options.client;
    if (!client.empty()) Timeline::check_client(client);
    tracks_ = {timeline_->track(Timeline::exchange_track), timeline_->track(client)};
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

/// Iterations [first, first + count) of this rank's loop. The last tile may be shorter. A rank that has fewer tiles
/// than another one gets empty tiles at the end.
struct Tile {
  std::size_t index = 0;  ///< number of the tile, from 0; tiles of the same number on all ranks belong together
  std::size_t first = 0;  ///< first iteration
  std::size_t count = 0;  ///< number of iterations
  std::size_t slot = 0;   ///< buffer index: index modulo (window + 1)

  /// Whether this rank has nothing to compute in this tile.
  bool empty() const { return count == 0; }
  /// One past the last iteration.
  std::size_t end() const { return first + count; }
  /// Makes progress on the tiles in flight, if options.progress is null or `polling`; cheap if no progress call is due.
  /// 4 to 16 calls per tile are enough.
  void progress() const {
    if (in_flight_ != nullptr) Progress::poll(progress_, *in_flight_);
  }

  Progress* progress_ = nullptr;       ///< for pipeline() only
  Progressable* in_flight_ = nullptr;  ///< for pipeline() only
};

namespace detail {

/// The number of buffers, window + 1. Throws an Error if there can't be so many.
inline std::size_t slots_of(const PipelineOptions& options, std::size_t most) {
  if (options.window >= most)
    throw Error("The window of a pipeline is " + std::to_string(options.window) +
                    " (window + 1 buffers can't be counted). Use a smaller window.",
                true);
  return options.window + 1;
}

/// Implements pipeline(). `leaked`: null if `buffers` may not be leaked; set to true if they must be.
template <class Buffer, class Compute, class Communicate, class Consume>
void run_pipeline(Transport& transport, std::size_t iterations, const PipelineOptions& options,
                  std::span<Buffer> buffers, Compute&& compute, Communicate&& communicate, Consume&& consume,
                  bool* leaked) {
  using Returned = std::invoke_result_t<Communicate&, const Tile&, Buffer&>;
  constexpr bool by_reference = std::is_lvalue_reference_v<Returned>;
  using Handle = std::conditional_t<by_reference, std::remove_reference_t<Returned>*, std::remove_cvref_t<Returned>>;

  const std::size_t slots = slots_of(options, std::numeric_limits<std::size_t>::max());
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
    const auto first = index < mine ? index * options.tile : iterations;
    return Tile{.index = index,
                .first = first,
                .count = std::min(options.tile, iterations - first),
                .slot = index % slots,
                .progress_ = options.progress,
                .in_flight_ = &in_flight};
  };
  const PipelineWaits waits(options);
  const auto finish = [&](std::size_t index) {
    const Tile t = tile(index);
    const double from = waits.now();
    in_flight.take(t.slot);
    waits.add(from);
    consume(t, buffers[t.slot]);
  };
  std::size_t started = 0;
  try {
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
  } catch (...) {
    const auto why = text_of(std::current_exception());
    const bool may_leak = leaked != nullptr && !by_reference;
    if (in_flight.fail(why, may_leak ? transport.seconds_to_arrive() : seconds_before_end())) {
      if (may_leak)
        *leaked = true;
      else
        transport.end_job("A pipeline has failed (" + why +
                          "), and its communication does not end, so MPI may still use memory of the program. Let all "
                          "ranks start the same tiles.");
    }
    throw;
  }
}

}  // namespace detail

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
/// For window 2 the order is C0 S0, C1 S1, C2 S2 U0, C3 S3 U1, ..., U(n-2) U(n-1), where C is compute, S is communicate
/// (start) and U is consume (use) of a tile. Before the U of a tile, pipeline() waits for the tile's communication: it
/// tests, and yields the core between two tests.
///
/// The calling thread calls compute(tile, buffer), communicate(tile, buffer) and consume(tile, buffer) for every tile,
/// even an empty one. The buffer belongs to the tile from compute until consume returns. There must be at least window
/// + 1 buffers. They are used in rotation, so a program can create persistent operations once, one per slot.
/// communicate returns a handle of the communication that it has started, such as an Operation&, a StartedExchange or
/// an MPI_Request (see test_handle()). It must not block, and must start collectives in the order of tiles, which is
/// the same on every rank.
///
/// If the amount of work is not known in advance, compute may return a bool: with false the loop ends, and this tile is
/// not sent. Pass `endless` for iterations and options.tiles. The ranks may then have different numbers of tiles, so
/// use point-to-point messages only.
///
/// If compute, communicate or consume throws, the communications in flight are ended before the exception propagates:
/// no operation uses memory of the program then. Exchanges fail, as StartedExchange describes, so ranks that wait for
/// them get an error. Other communications can't be cancelled: they are waited for, and after the time-out the job ends
/// with an error.
///
/// Collective over `transport` unless options.tiles is given. Throws Error if there are too few buffers, tile is 0,
/// window + 1 can't be counted, or a part of an exchange was not marked ready, in any of its rounds.
template <class Buffer, class Compute, class Communicate, class Consume>
void pipeline(Transport& transport, std::size_t iterations, const PipelineOptions& options, std::span<Buffer> buffers,
              Compute&& compute, Communicate&& communicate, Consume&& consume) {
  detail::run_pipeline(transport, iterations, options, buffers, std::forward<Compute>(compute),
                       std::forward<Communicate>(communicate), std::forward<Consume>(consume), nullptr);
}

/// The same with window + 1 buffers that this call creates: pipeline<Buffer>(world, n, {...}, compute, ...). After an
/// exception, communications that do not end within Transport::seconds_to_arrive() are leaked with these buffers.
template <class Buffer, class Compute, class Communicate, class Consume>
void pipeline(Transport& transport, std::size_t iterations, const PipelineOptions& options, Compute&& compute,
              Communicate&& communicate, Consume&& consume) {
  std::vector<Buffer> buffers(detail::slots_of(options, std::vector<Buffer>().max_size()));
  bool leaked = false;
  try {
    detail::run_pipeline(transport, iterations, options, std::span<Buffer>(buffers), std::forward<Compute>(compute),
                         std::forward<Communicate>(communicate), std::forward<Consume>(consume), &leaked);
  } catch (...) {
    if (leaked) leak_until_exit(std::make_shared<std::vector<Buffer>>(std::move(buffers)));
    throw;
  }
}

}  // namespace weft
