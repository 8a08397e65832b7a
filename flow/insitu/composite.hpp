// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "weft/names.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace insitu {

/// Colour times opacity, and opacity, out of 65535.
using Rgba = std::array<std::uint16_t, 4>;

/// A pixel of a complete picture.
struct Segment {
  std::uint32_t pixel = 0;  ///< row * width + column
  Rgba colour{};

  friend bool operator==(const Segment&, const Segment&) = default;
};

/// Ascending by pixel.
using Segments = std::vector<Segment>;

/// What bricks add to the rays of pixels: a run of adjacent pixels of each brick and row.
///
/// The ranks' shares of a vessel are not convex, so a ray can visit a rank's bricks in several intervals of depth. The
/// colours of bricks are rounded one by one and blended only when those of all ranks are together: blending rounds, so
/// a picture would otherwise depend on which bricks belong to the same rank.
struct Runs {
  struct Run {
    std::uint32_t pixel, count;
    std::int32_t order;  ///< of the brick: greater behind others, the same only for bricks that share no ray

    friend bool operator==(const Run&, const Run&) = default;
  };
  std::vector<Run> runs;  ///< ascending by order
  std::vector<Rgba> colours;

  friend bool operator==(const Runs&, const Runs&) = default;
};

/// Merges both.
Runs merge(const Runs& a, const Runs& b);

/// The part within pixels [first, last).
Runs clip(const Runs& runs, std::uint32_t first, std::uint32_t last);

/// Less light than this is invisible in a picture of 256 levels: what is behind is omitted.
constexpr float dark = 1.0F / 1024;

/// The light that an opacity out of 65535 transmits.
constexpr float through(float opacity) { return (65535 - opacity) / 65535; }

/// Blends the colours of each pixel front to back: runs of order 0, ascending by pixel.
Runs blend(const Runs& runs);

/// The pixels that are not empty; of blended runs.
Segments segments_of(const Runs& blended);

/// How the ranks' runs are combined to one picture.
enum class CompositeWay : std::uint8_t {
  /// halves, with one partner after the other: log2(ranks) stages, few peers (K.-L. Ma et al., IEEE Computer Graphics
  /// and Applications 14 (1994) 4, 59)
  binary_swap,
  direct_send,  ///< each pixel's colours directly to the rank responsible for it: one stage, all peers
};

/// One stage of one rank. The peers do not depend on the picture's size.
struct CompositeStage {
  struct Send {
    int peer;
    std::uint32_t first, last;  ///< pixels [first, last)
  };
  std::vector<Send> sends;
  std::vector<int> receives;
  std::uint32_t first = 0, last = 0;  ///< the pixels for which this rank is responsible after the stage
  bool is_last = false;               ///< every pixel is complete; rank 0 gathers
};

/// All stages of a rank, equally many on each rank, for any number of ranks: ranks beyond a power of two first send all
/// their runs to others in binary swap. Pure.
std::vector<CompositeStage> composite_stages(CompositeWay way, int rank, int ranks, std::uint32_t pixels);

/// Runs in a message.
std::vector<std::byte> pack(const Runs& runs);
/// Throws Error if the bytes are not packed runs.
Runs unpack(std::span<const std::byte> bytes);

inline constexpr Names<CompositeWay> composite_way_names("way of compositing",
                                                         {{CompositeWay::binary_swap, "binary_swap"},
                                                          {CompositeWay::direct_send, "direct_send"}});
const char* name_of(CompositeWay way);

}  // namespace insitu
}  // namespace weft
