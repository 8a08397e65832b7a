// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "weft/collective/round_blocks.hpp"

namespace weft {

/// A collective made of rounds as an operation by itself, outside of any exchange: each round leaves when test() finds
/// the one before it done. Where the library's own non-blocking collectives can't be used, and to compare with them.
class RoundOperation final : public Operation {
 public:
  /// The transport and the spans are borrowed. All ranks give the same tag, which nothing else uses meanwhile. Throws
  /// Error, everywhere, as Rounds. Not collective.
  RoundOperation(Transport& transport, const Collective& what, Algorithm algorithm, int tag);

  void start() override;
  bool test() override;
  bool abandon() noexcept override;

 private:
  struct Round {
    Operations sends, receives;
    std::vector<std::vector<std::byte>> packed;  // one a send
  };
  void begin(std::size_t round);

  RoundBlocks blocks_;
  std::vector<Round> rounds_;
  std::size_t round_;  // the one in flight; none: their number
};

}  // namespace weft
