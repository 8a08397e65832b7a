// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "weft/bytes.hpp"
#include "weft/transport/transport.hpp"

namespace weft::inside {

/// The memory and the operations of a packed message that has another size in each start, parts of up to n bytes in it.
///
/// Its *head* has one size at most, holds the parts' sizes, and is all that most such messages are. What does not fit
/// follows in pieces of one tag, which keep their order; both ends know how many once they know the size, and a
/// receiver posts them when the head is there. So the bound n costs no memory, and a short message no empty pieces.
///
/// Of a message of one part, what does not fit into the head is sent from where it lies, and what comes of it may be
/// taken as it landed: nothing large is copied.
class Growing {
 public:
  /// An operation on these bytes, of the head or of the rest.
  enum class Piece : int { head, rest };
  using Make = std::function<std::unique_ptr<Operation>(std::span<std::byte> bytes, Piece piece)>;

  /// Rests are cut into pieces of `piece_bytes`; 0: never.
  Growing(Make make, std::size_t head_bytes, std::size_t piece_bytes)
      : make_(std::move(make)), piece_bytes_(piece_bytes), head_(head_bytes) {}

  /// Room for a message of `total` bytes that is to be sent, and its operations, which are not started.
  std::span<std::byte> send(std::size_t total, Operations& operations);
  /// The same of a message of one part: room for its head alone. The part lies there, behind `front` bytes.
  std::span<std::byte> send_one(std::size_t front, std::span<std::byte> part, Operations& operations);
  /// What is received first.
  std::span<std::byte> receive_head(Operations& operations);
  /// The head has come, and says that the message has `total` bytes: makes room, starts receiving the rest.
  std::span<std::byte> receive_rest(std::size_t total, Operations& operations);
  /// The same of a message of one part, behind `front` bytes, in memory that it takes. False if it was all in the head.
  bool land(std::size_t front, std::size_t part_bytes, Bytes& memory, Operations& operations);
  /// That part.
  void swap_landed(Bytes& part) { all_.swap(part); }
  /// How much of the message is there with its first `arrived` operations.
  std::size_t come(std::size_t arrived) const { return arrived == 0 ? 0 : head_.size() + (arrived - 1) * each_; }

 private:
  void cut(std::span<std::byte> rest, Operations& operations);
  static void start_rest(Operations& operations);

  Make make_;
  std::size_t piece_bytes_, each_ = 0;  // of the rest's pieces but the last
  Bytes head_, all_;
};

}  // namespace weft::inside
