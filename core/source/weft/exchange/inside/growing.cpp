// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/inside/growing.hpp"

#include <algorithm>

namespace weft::inside {

void Growing::cut(std::span<std::byte> rest, Operations& operations) {
  operations.resize(1);  // the head's
  each_ = piece_bytes_ > 0 ? piece_bytes_ : rest.size();
  for (std::size_t at = 0; at < rest.size(); at += each_)
    operations.push_back(make_(rest.subspan(at, std::min(each_, rest.size() - at)), Piece::rest));
}

std::span<std::byte> Growing::send(std::size_t total, Operations& operations) {
  operations.clear();
  if (total <= head_.size()) {
    operations.push_back(make_(std::span(head_).first(total), Piece::head));
    return head_;
  }
  if (all_.size() < total) all_.resize(total);
  operations.push_back(make_(std::span(all_).first(head_.size()), Piece::head));
  cut(std::span(all_).first(total).subspan(head_.size()), operations);
  return all_;
}

std::span<std::byte> Growing::send_one(std::size_t front, std::span<std::byte> part, Operations& operations) {
  operations.clear();
  const auto in_head = std::min(part.size(), head_.size() - front);
  operations.push_back(make_(std::span(head_).first(front + in_head), Piece::head));
  cut(part.subspan(in_head), operations);
  return head_;
}

std::span<std::byte> Growing::receive_head(Operations& operations) {
  if (operations.empty()) operations.push_back(make_(head_, Piece::head));
  operations.resize(1);
  return head_;
}

std::span<std::byte> Growing::receive_rest(std::size_t total, Operations& operations) {
  if (total <= head_.size()) return head_;
  if (all_.size() < total) all_.resize(total);
  std::ranges::copy(head_, all_.begin());
  cut(std::span(all_).first(total).subspan(head_.size()), operations);
  start_rest(operations);
  return all_;
}

bool Growing::land(std::size_t front, std::size_t part_bytes, Bytes& memory, Operations& operations) {
  const auto in_head = std::span(head_).subspan(front);
  if (part_bytes <= in_head.size()) return false;
  all_.swap(memory);
  all_.resize(part_bytes);
  std::ranges::copy(in_head, all_.begin());
  cut(std::span(all_).subspan(in_head.size()), operations);
  start_rest(operations);
  return true;
}

void Growing::start_rest(Operations& operations) {
  for (auto operation = operations.begin() + 1; operation != operations.end(); ++operation) (*operation)->start();
}

}  // namespace weft::inside
