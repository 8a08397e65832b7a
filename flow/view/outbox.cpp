// SPDX-License-Identifier: BSD-3-Clause
#include "view/outbox.hpp"

#include <algorithm>
#include <utility>

namespace weft::view {

void History::add(std::string row) {
  if (!rows_.empty() && rows_.back().number % stride_ != 0) rows_.pop_back();  // it was kept only as the newest
  if (rows_.size() >= most_) {
    stride_ *= 2;
    std::erase_if(rows_, [this](const Row& old) { return old.number % stride_ != 0; });
  }
  rows_.push_back({next_++, std::move(row)});
}

std::string History::since(std::uint64_t first) const {
  const auto start = std::lower_bound(rows_.begin(), rows_.end(), first,
                                      [](const Row& row, std::uint64_t number) { return row.number < number; });
  std::string result = "[";
  for (auto row = start; row != rows_.end(); ++row) {
    if (row != start) result += ',';
    result += row->values;
  }
  return result += ']';
}

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
