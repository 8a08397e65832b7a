// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "weft/exchange/inside/message.hpp"

namespace weft::inside {

/// The message of a part, and the part's index among its items; no message: an empty part.
struct Carried {
  Message* message = nullptr;
  std::size_t item = 0;
};

/// All messages of an exchange: in the order of the plan, then collectives in the order in which every rank starts
/// them.
struct Messages {
  explicit Messages(Start& of) : start(of), layout(of.layout), of_part(layout.clients, Carried{}) {}
  /// Appends a message of these parts, without operations.
  Message& append(const MessagePlan& plan);
  /// Records the end of a round. A client's wait lasts until the last of its own messages, the exchange's until the
  /// last of all; likewise the time in flight, which begins with the round's first send on this rank.
  void record_end(int round, double waited_from) const;

  Start& start;
  const Layout& layout;
  std::vector<std::unique_ptr<Message>> all;
  ByPart<Carried> of_part;
  std::vector<Message*> collectives;
};

}  // namespace weft::inside
