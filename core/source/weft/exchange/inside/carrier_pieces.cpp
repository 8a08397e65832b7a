// SPDX-License-Identifier: BSD-3-Clause
//
// A packed message, or one contiguous part (per buffer index) that is sent without packing; whole, in pieces, or as
// MPI-4's partitions. Data that are accepted later, or combined, are not
// received into their part's memory.
#include <algorithm>

#include "weft/exchange/inside/carriers.hpp"

namespace weft::inside {
namespace {

class Pieces final : public Maker {
 public:
  Pieces(Messages& messages, Transport& transport, int first_tag)
      : messages_(messages), transport_(transport), first_tag_(first_tag),
        partitioned_(messages.layout.options.messages.carrier == Carrier::partitioned),
        mode_(messages.layout.options.messages.carrier == Carrier::synchronous ? SendMode::synchronous
                                                                               : SendMode::standard) {}

  void take(const MessagePlan& plan) override {
    auto& message = messages_.append(plan);
    if (plan.is_up_to) return let_grow(message, plan);
    const auto& only = *message.items.front().buffers;
    // Partitions can't be cancelled, so they must not use memory of the program.
    const bool on_device = messages_.layout.options.messages.direct_from_device && message.is_on_one_device();
    const bool direct = message.items.size() == 1 && only.is_contiguous() && !only.is_given() && !message.is_kept &&
                        !partitioned_ && (!message.device || on_device);
    const auto count = static_cast<std::size_t>(plan.pieces);
    if (!direct) {
      const auto size = partitioned_ ? count * plan.piece_bytes() : plan.bytes;  // the last partition is padded
      on_device ? message.make_device_buffer(size) : message.make_buffer(size);
      message.pack_all();
    }
    for (std::size_t buffer_index = 0; buffer_index < (direct ? only.buffer_count() : 1); ++buffer_index) {
      const auto data = direct ? only.at(buffer_index).run() : message.buffer;
      message.by_buffer.push_back(partitioned_ ? partitions(plan, data) : pieces(plan, data));
    }
    message.is_partitioned = partitioned_;
    if (partitioned_ && plan.send && count > 1 && message.continued == 0 && !plan.is_limited)
      leave_by_pieces(message, plan);
    message.follow_devices();
  }

 private:
  void leave_by_pieces(Message& message, const MessagePlan& plan) {
    message.missing.resize(static_cast<std::size_t>(plan.pieces));
    for (const auto part : plan.parts) messages_.of_part[part].is_noted = true;
  }
  Operations partitions(const MessagePlan& plan, std::span<std::byte> data) {
    const int tag = first_tag_ + plan.tag;
    return plan.send ? transport_.send_partitions(data, plan.pieces, plan.peer, tag)
                     : transport_.receive_partitions(data, plan.pieces, plan.peer, tag);
  }
  // Data up to the eager size are sent at once, in the head.
  void let_grow(Message& message, const MessagePlan& plan) {
    constexpr std::size_t enough = 65536;  // for a carrier without limits
    const auto& options = messages_.layout.options.messages;
    const auto head = std::max(message.size_bytes, std::min({plan.bytes, options.packed_limit_bytes, enough}));
    message.growing = std::make_unique<Growing>(
        [&transport = transport_, sends = plan.send, peer = plan.peer, tag = first_tag_ + plan.tag,
         mode = mode_of(plan)](std::span<std::byte> bytes, Growing::Piece piece) {
          const int of_piece = tag + static_cast<int>(piece);
          return sends ? transport.send(bytes, peer, of_piece, mode) : transport.receive(bytes, peer, of_piece);
        },
        head, options.piece_bytes.value_or(0));
    message.pack_all();
    message.by_buffer.emplace_back();
  }
  Operations pieces(const MessagePlan& plan, std::span<std::byte> data) {
    Operations all;
    const auto each = plan.piece_bytes();
    for (std::size_t k = 0; k < static_cast<std::size_t>(plan.pieces); ++k) {
      const auto piece = data.subspan(k * each, std::min(each, plan.bytes - k * each));
      const int tag = first_tag_ + plan.tag + static_cast<int>(k);
      all.push_back(plan.send ? transport_.send(piece, plan.peer, tag, mode_of(plan))
                              : transport_.receive(piece, plan.peer, tag));
    }
    return all;
  }

  // A limited send must not be complete before its receive was posted: the receiver would have to keep it.
  SendMode mode_of(const MessagePlan& plan) const {
    return plan.is_limited && transport_.has(Ability::synchronous) ? SendMode::synchronous : mode_;
  }

  Messages& messages_;
  Transport& transport_;
  int first_tag_;
  bool partitioned_;
  SendMode mode_;
};

}  // namespace

std::unique_ptr<Maker> make_pieces(Messages& messages, Transport& transport, int first_tag) {
  return std::make_unique<Pieces>(messages, transport, first_tag);
}

}  // namespace weft::inside
