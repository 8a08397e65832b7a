// SPDX-License-Identifier: BSD-3-Clause
//
// Messages to this rank itself are copied from one region to the other; through a buffer if one pass is not possible.
#include <algorithm>
#include <map>

#include "weft/exchange/inside/carriers.hpp"

namespace weft::inside {
namespace {

class Copies final : public Maker {
 public:
  explicit Copies(Messages& messages) : messages_(messages) {}

  void take(const MessagePlan& plan) override {
    auto& message = messages_.append(plan);
    (plan.send ? sends_ : receives_)[plan.tag] = &message;
  }

  void finish() override {
    for (const auto& [tag, sent] : sends_) {
      auto& received = *receives_.at(tag);
      sent->other_end = &received;
      if (sent->device || received.device) {
        go_by_devices(*sent, received);
      } else if (received.is_kept) {
        if (received.size_bytes == 0) received.make_buffer(sent->bytes);
        sent->buffer = received.buffer;
        received.pack_all();
        sent->pack_all();
      } else {
        sent->make_buffer(buffer_bytes(*sent, received));
      }
    }
  }

 private:
  // As a message in shared memory: each end waits for its device.
  void go_by_devices(Message& sent, Message& received) {
    const auto header = std::make_shared<SharedHeader>();
    const bool stays = sent.is_on_one_device() && received.is_on_one_device() &&
                       sent.device->devices().front() == received.device->devices().front();
    stays ? sent.make_device_buffer(sent.bytes) : sent.make_pinned_buffer(sent.bytes);
    received.buffer = sent.buffer;
    received.is_device_buffer = stays;
    for (auto* message : {&sent, &received}) {
      message->pack_all();
      message->piece_bytes = message->bytes;
    }
    auto receive = std::make_unique<SharedReceive>(*header, std::make_shared<Own>(header));
    received.shared = receive.get();
    sent.by_buffer.emplace_back().push_back(std::make_unique<SharedSend>(*header, std::make_shared<Own>(header)));
    received.by_buffer.emplace_back().push_back(std::move(receive));
    for (auto* message : {&sent, &received}) message->follow_devices();
  }
  // Keeps the header.
  class Own final : public SharedMemory {
   public:
    explicit Own(std::shared_ptr<SharedHeader> header) : header_(std::move(header)) {}
    std::byte* at(int) const override { return header_->data(); }
    std::size_t bytes() const override { return 0; }

   private:
    std::shared_ptr<SharedHeader> header_;
  };
  // The size of the largest part that needs a buffer, or may need it.
  std::size_t buffer_bytes(const Message& sent, const Message& received) const {
    std::size_t bytes = 0;
    for (std::size_t i = 0; i < sent.items.size(); ++i) {
      const auto &from = *sent.items[i].buffers, &to = *received.items[i].buffers;
      if (sent.items[i].is_up_to) continue;
      for (std::size_t buffer_index = 0; buffer_index < messages_.layout.buffer_count; ++buffer_index)
        if (from.is_given() || to.is_given() || !from.at(buffer_index).copies_to(to.at(buffer_index)))
          bytes = std::max(bytes, from.bytes());
    }
    return bytes;
  }

  Messages& messages_;
  std::map<int, Message*> sends_, receives_;  // by tag
};

}  // namespace

std::unique_ptr<Maker> make_copies(Messages& messages) { return std::make_unique<Copies>(messages); }

}  // namespace weft::inside
