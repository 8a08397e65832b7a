// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "weft/exchange/inside/message.hpp"

namespace weft::inside {

/// What ready() needs of a part, in few bytes, since each start asks for each part.
struct Carried {
  Message* message = nullptr;  ///< null: an empty part
  std::uint32_t item = 0;      ///< its index among the message's items
  std::uint16_t round = 0;
  bool is_marked : 1 = false;  ///< whether the program marks it ready: a send or a collective
  bool is_noted : 1 = false;   ///< whether more is done when it is ready than to count it, though it is not the last
  bool is_given : 1 = false;   ///< whether it was listed with given(): it may have no memory
};

/// All messages of an exchange: in the order of the plan, then collectives in the order in which every rank starts
/// them.
struct Messages {
  explicit Messages(Start& of);
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
