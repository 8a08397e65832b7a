// SPDX-License-Identifier: BSD-3-Clause
//
// MPI gets the parts' regions as one derived datatype per message (and buffer index). Only messages with deferred
// unpacking, combined parts or given() memory are packed.
#include <algorithm>

#include "weft/exchange/inside/carriers.hpp"

namespace weft::inside {
namespace {

class Datatypes final : public Maker {
 public:
  Datatypes(Messages& messages, Transport& transport, int first_tag)
      : messages_(messages), transport_(transport), first_tag_(first_tag) {}

  void take(const MessagePlan& plan) override {
    auto& message = messages_.append(plan);
    const int tag = first_tag_ + plan.tag;
    const bool has_given = std::ranges::any_of(message.items, [](const Item& i) { return i.buffers->is_given(); });
    if (message.is_kept || has_given) {
      message.make_buffer(plan.bytes);
      message.pack_all();
      message.by_buffer.emplace_back().push_back(plan.send ? transport_.send(message.buffer, plan.peer, tag)
                                                           : transport_.receive(message.buffer, plan.peer, tag));
      return;
    }
    std::size_t buffer_count = 1;
    for (const auto& item : message.items) buffer_count = std::max(buffer_count, item.buffers->buffer_count());
    for (std::size_t buffer_index = 0; buffer_index < buffer_count; ++buffer_index) {
      std::vector<Region> regions;
      for (const auto& item : message.items) regions.push_back(item.buffers->at(buffer_index));
      message.by_buffer.emplace_back().push_back(plan.send ? transport_.send_regions(regions, plan.peer, tag)
                                                           : transport_.receive_regions(regions, plan.peer, tag));
    }
  }

 private:
  Messages& messages_;
  Transport& transport_;
  int first_tag_;
};

}  // namespace

std::unique_ptr<Maker> make_datatypes(Messages& messages, Transport& transport, int first_tag) {
  return std::make_unique<Datatypes>(messages, transport, first_tag);
}

}  // namespace weft::inside
