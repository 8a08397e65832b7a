// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "insitu/layer.hpp"
#include "weft/names.hpp"

namespace weft::insitu {

/// How the ranks' segments are combined to one picture.
enum class CompositeWay : std::uint8_t {
  /// halves, with one partner after the other: log2(ranks) stages, few peers (K.-L. Ma et al., IEEE Computer Graphics
  /// and Applications 14 (1994) 4, 59)
  binary_swap,
  direct_send,  ///< each pixel's segments directly to the rank responsible for it: one stage, all peers
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
/// their segments to others in binary swap. Pure.
std::vector<CompositeStage> composite_stages(CompositeWay way, int rank, int ranks, std::uint32_t pixels);

/// Segments in a message: runs of adjacent pixels, then each segment's depths (unless nothing can be behind it any
/// more) and colour.
std::vector<std::byte> pack(std::span<const Segment> segments, bool with_depths);
/// Throws Error if the bytes are not packed segments.
Segments unpack(std::span<const std::byte> bytes, bool with_depths);

inline constexpr Names<CompositeWay> composite_way_names("way of compositing",
                                                         {{CompositeWay::binary_swap, "binary_swap"},
                                                          {CompositeWay::direct_send, "direct_send"}});
const char* name_of(CompositeWay way);
/// The way with this name; throws an InputError that lists the names.
CompositeWay composite_way(const std::string& name);

}  // namespace weft::insitu
