// SPDX-License-Identifier: BSD-3-Clause
#include "view/outbox.hpp"

#include <utility>

namespace weft::view {

void Board::put(Kind kind, std::string message) {
  newest[kind] = std::make_shared<const std::string>(std::move(message));
  ++changes[kind];
}

void Outbox::say(std::string message) {
  if (sentences_.size() >= most_sentences) sentences_.pop_front();
  sentences_.push_back(std::make_shared<const std::string>(std::move(message)));
}

Bytes Outbox::take(Board::Kind kind) {
  known_[kind] = board_->changes[kind];
  return board_->newest[kind];
}

std::optional<Outbox::Message> Outbox::next() {
  if (behind(Board::hello)) return Message{take(Board::hello)};
  if (!sentences_.empty()) {
    auto first = std::move(sentences_.front());
    sentences_.pop_front();
    return Message{std::move(first)};
  }
  for (int tried = 0; tried < 3; ++tried) {
    switch (turn_++ % 3) {
      case 0:
        if (behind(Board::state)) return Message{take(Board::state)};
        break;
      case 1:
        if (rows_known_ != board_->rows.next()) {
          auto rows = R"({"type":"rows","values":)" + board_->rows.since(rows_known_) + '}';
          rows_known_ = board_->rows.next();
          return Message{std::make_shared<const std::string>(std::move(rows))};
        }
        break;
      default:
        if (behind(Board::picture) && unseen_ < most_unseen) {
          ++unseen_;
          return Message{take(Board::picture), true};
        }
    }
  }
  return {};
}

}  // namespace weft::view
