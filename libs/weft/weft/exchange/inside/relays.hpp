// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "weft/exchange/inside/messages.hpp"

namespace weft::inside {

/// What happens between two rounds of a client without the computation.
struct Relay {
  const std::function<void()>* then = nullptr;
  std::size_t messages = 0;       ///< of the round, that carry parts of the client
  std::vector<Message*> leaving;  ///< afterwards: one for each part
  Relay* after = nullptr;         ///< of the next round
  /// Messages that are not done, and one for the round before (the first: for the client).
  std::atomic<std::size_t> pending{0};
};

/// The rounds of clients that follow each other while somebody drives.
class Relays {
 public:
  /// Tells the messages which relays wait for them.
  Relays(const Layout& layout, Messages& messages);

  /// For a new start.
  void prepare();
  /// A part of round 0 is ready: with the last, the client's rounds begin to follow each other.
  void note_ready(std::uint32_t client, Run& run);
  /// All that the client sends in round 0 is ready.
  void begin(std::uint32_t client, Run& run);
  /// Something that the relay waits for is done. Whoever takes the last goes on with the next round.
  void count_down(Relay& relay, Run& run) const;
  /// A client whose relays were not told to begin.
  std::optional<std::uint32_t> not_begun() const;

 private:
  struct Chain {
    std::vector<std::unique_ptr<Relay>> relays;  // by round; none: the client does not relay
    std::size_t needed = 0, unready = 0;         // parts of round 0 that are marked ready, and those still to come
    bool has_begun = false;
  };
  std::vector<Chain> chains_;  // by client
};

}  // namespace weft::inside
