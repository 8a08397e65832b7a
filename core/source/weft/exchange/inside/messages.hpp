// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "weft/exchange/inside/layout.hpp"
#include "weft/exchange/inside/message.hpp"

namespace weft::inside {

/// The message of a part, and the part's index among its items; no message: an empty part.
struct Carried {
  Message* message = nullptr;
  std::size_t item = 0;
};

/// All messages of an exchange: in the order of the plan, then those of neighbourhoods, then collectives in the order
/// in which every rank starts them.
struct Messages {
  explicit Messages(const Layout& of) : layout(of), of_part(of.clients, Carried{}) {}
  /// Appends a message of these parts, without operations.
  Message& append(const MessagePlan& plan);

  const Layout& layout;
  std::vector<std::unique_ptr<Message>> all;
  ByPart<Carried> of_part;
  std::vector<Message*> collectives;
};

}  // namespace weft::inside
