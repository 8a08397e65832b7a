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

/// How the ranks' segments become one picture.
enum class CompositeWay : std::uint8_t {
  binary_swap,  ///< halves, with one partner after the other: log2 of the ranks stages, few peers
                ///< (K.-L. Ma et al., IEEE Computer Graphics and Applications 14 (1994) 4, 59)
  direct_send,  ///< each pixel's segments straight to the rank that answers for it: one stage, all peers
};

/// One stage of one rank. Which peers there are does not depend on the picture's size.
struct CompositeStage {
  struct Send {
    int peer;
    std::uint32_t first, last;  ///< pixels [first, last)
  };
  std::vector<Send> sends;
  std::vector<int> receives;
  std::uint32_t first = 0, last = 0;  ///< what this rank answers for after the stage
  bool is_last = false;               ///< every pixel is whole; rank 0 gathers
};

/// All stages of a rank, as many on each rank. Any number of ranks: of those beyond a power of two, binary swap first
/// takes all segments. Pure.
std::vector<CompositeStage> composite_stages(CompositeWay way, int rank, int ranks, std::uint32_t pixels);

/// Segments as they travel: runs of neighbouring pixels, then each segment's depths (unless nothing can be behind it
/// any more) and colour.
std::vector<std::byte> pack(std::span<const Segment> segments, bool with_depths);
/// Throws Error if the bytes are no segments.
Segments unpack(std::span<const std::byte> bytes, bool with_depths);

inline constexpr Names<CompositeWay> composite_way_names("way of compositing",
                                                         {{CompositeWay::binary_swap, "binary_swap"},
                                                          {CompositeWay::direct_send, "direct_send"}});
const char* name_of(CompositeWay way);
/// The way of a name; an InputError that lists the names otherwise.
CompositeWay composite_way(const std::string& name);

}  // namespace weft::insitu
