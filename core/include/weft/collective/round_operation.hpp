// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "weft/collective/round_blocks.hpp"

namespace [[gnu::visibility("default")]] weft {

/// A collective in rounds of messages (CollectiveSchedule) as one Operation, outside of any exchange: test() sends a
/// round when it finds the round before complete. For cases where the MPI library's own non-blocking collectives can't
/// be used, and for comparison.
class RoundOperation final : public Operation {
 public:
  /// Makes the schedule. The transport and the spans are borrowed. All ranks pass the same tag, which nothing else uses
  /// meanwhile. Throws Error, on every rank, as RoundBlocks. Not collective.
  RoundOperation(Transport& transport, const Collective& what, Algorithm algorithm, int tag);

  void start() override;
  bool test() override;
  bool abandon() noexcept override;

 private:
  struct Round {
    Operations sends, receives;
    std::vector<std::vector<std::byte>> packed;  // one per send
  };
  void begin(std::size_t round);

  RoundBlocks blocks_;
  std::vector<Round> rounds_;
  std::size_t round_;  // the current round; none: the number of rounds
};

}  // namespace weft
