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

/// The continuation between two rounds of a client.
struct Continuation {
  const std::function<void()>* then = nullptr;
  std::vector<Message*> waiting_for;  ///< messages of the round with parts of the client
  std::vector<Message*> leaving;      ///< messages sent afterwards: one entry per part
  Continuation* after = nullptr;      ///< that of the next round
  /// Messages that are not done, plus one for the round before (in the first: for the client).
  std::atomic<std::size_t> pending{0};
};

/// The continuations of all clients: rounds that follow each other in the progress code.
class Continuations {
 public:
  /// Registers the continuations with the messages that they wait for.
  Continuations(const Layout& layout, Messages& messages);

  /// Prepares a new start.
  void prepare();
  /// A part of round 0 is ready: after the last one, the client's continuations begin.
  void note_ready(std::uint32_t client);
  /// All sends of the client in round 0 are ready.
  void begin(std::uint32_t client);
  /// One thing that the continuation waits for is done. The thread that counts the last one starts the next round.
  void count_down(Continuation& continuation) const;
  /// A client whose continuations were not begun.
  std::optional<std::uint32_t> not_begun() const;
  /// Whether this thread is in a continuation.
  bool is_running() const;

 private:
  struct Chain {
    std::vector<std::unique_ptr<Continuation>> continuations;  // by round; none: the client has no continuations
    std::size_t needed = 0, unready = 0;  // parts of round 0 to mark ready, and those not ready yet
    bool has_begun = false;
  };
  std::vector<Chain> chains_;  // by client
};

}  // namespace weft::inside
