// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "fft/layout.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/exchange/message_space.hpp"

namespace weft::fft {

/// The two layouts of a Reshape.
struct ReshapePlan {
  std::vector<Box> outer, inner;  ///< the program's boxes and the transform's, by rank
  bool inwards = true;            ///< from the program's boxes to the transform's, or the reverse
  std::size_t element_bytes = 0;  ///< of a value
  ElementType type{};
  std::byte* memory = nullptr;  ///< of this rank's inner box; borrowed
  std::size_t rounds = 1;       ///< outwards, the same on all ranks
};

/// Copies a grid between the boxes of a program and those of a transform, by one exchange.
///
/// The common points of two boxes are copied directly from one to the other. Outwards, the planes of the inner
/// boxes (along their outermost axis) travel in rounds, the first block of planes of every rank in round 0. So a
/// transform computes planes while those before them are sent.
class Reshape {
 public:
  /// Creates the messages. Collective, as is destruction.
  Reshape(MessageSpace& space, const ReshapePlan& plan, const ExchangeOptions& options);

  /// Begins; `outer` is the memory of the program's box on this rank. Inwards everything is sent.
  void start(std::byte* outer);
  /// Inwards: returns when everything has arrived. Call it before the transform waits for other messages: a rank that
  /// waits for these makes no progress with those.
  void need();
  /// Outwards: sends the rounds that are complete with the first `planes` planes of the inner box.
  void give(std::size_t planes);
  /// Sends what is not sent yet, and waits for everything. Then the memory of both boxes is free.
  void finish();

 private:
  // Points of a box: where the first lies, in bytes, and loops over all.
  struct Place {
    std::size_t first = 0;
    std::vector<Loop> loops;
  };
  // A part in the program's memory, whose address each start sets.
  struct Moving {
    Part part;
    Place place;
  };
  Place place_of(const Box& box, const std::array<Block, 3>& points, const std::array<std::size_t, 3>& order) const;
  Region region(std::byte* memory, const Place& place) const;
  void add(Requests& requests, std::size_t from, std::size_t to, std::size_t round);

  ReshapePlan plan_;
  std::size_t rank_;
  Exchange exchange_;
  std::vector<Moving> moving_;
  std::size_t planes_;     // of this rank's inner box
  std::size_t round_ = 0;  // the next to wait for, or to send
  StartedExchange started_;
};

}  // namespace weft::fft
