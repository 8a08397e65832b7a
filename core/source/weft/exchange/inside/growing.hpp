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

/// The buffers and the operations of a packed message whose size differs from start to start, since it has parts of up
/// to n bytes.
///
/// Its *head* has at most a fixed size and holds the parts' sizes; most such messages have only a head. Data that do
/// not fit follow in pieces with one tag, which keep their order; both ends compute their number from the size, and a
/// receiver posts them when the head has arrived. So the bound n costs no memory, and a short message no empty pieces.
///
/// In a message of one part, data that do not fit into the head are sent without packing, and the receiver may take
/// over the receive buffer: large data are not copied.
class Growing {
 public:
  /// Creates an operation on these bytes, for the head or the rest.
  enum class Piece : int { head, rest };
  using Make = std::function<std::unique_ptr<Operation>(std::span<std::byte> bytes, Piece piece)>;

  /// The rest is cut into pieces of `piece_bytes`; 0: never.
  Growing(Make make, std::size_t head_bytes, std::size_t piece_bytes)
      : make_(std::move(make)), piece_bytes_(piece_bytes), head_(head_bytes) {}

  /// Returns a buffer for a message of `total` bytes to send, and its operations, not started.
  std::span<std::byte> send(std::size_t total, Operations& operations);
  /// The same for a message of one part: a buffer for its head only. The part is `part`, behind `front` bytes.
  std::span<std::byte> send_one(std::size_t front, std::span<std::byte> part, Operations& operations);
  /// The head, which is received first.
  std::span<std::byte> receive_head(Operations& operations);
  /// The head has arrived, with the total size: makes room and starts receiving the rest.
  std::span<std::byte> receive_rest(std::size_t total, Operations& operations);
  /// The same for a message of one part, behind `front` bytes, into memory that it takes over. False if all was in the
  /// head.
  bool land(std::size_t front, std::size_t part_bytes, Bytes& memory, Operations& operations);
  /// Swaps out that part.
  void swap_landed(Bytes& part) { all_.swap(part); }
  /// The number of bytes that have arrived with the first `arrived` operations.
  std::size_t come(std::size_t arrived) const { return arrived == 0 ? 0 : head_.size() + (arrived - 1) * each_; }

 private:
  void cut(std::span<std::byte> rest, Operations& operations);
  static void start_rest(Operations& operations);

  Make make_;
  std::size_t piece_bytes_, each_ = 0;  // size of the rest's pieces but the last
  Bytes head_, all_;
};

}  // namespace weft::inside
