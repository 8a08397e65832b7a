// SPDX-License-Identifier: BSD-3-Clause
//
// Creates the messages of a plan.
#include <algorithm>

#include "weft/exchange/inside/carriers.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::inside {
namespace {

std::unique_ptr<Maker> maker_of(Messages& messages, Transport& transport, int first_tag) {
  return messages.layout.options.messages.carrier == Carrier::datatypes ? make_datatypes(messages, transport, first_tag)
                                                                        : make_pieces(messages, transport, first_tag);
}

// A collective can't be cancelled, so it must not use memory of the program.
std::unique_ptr<Operation> make_collective(Transport& transport, const Collective& what) {
  return what.owner ? transport.collective(what) : buffered(transport, what);
}

}  // namespace

Builder::Builder(Messages& messages, Transport& transport, int first_tag)
    : messages_(messages), transport_(transport), copies_(make_copies(messages)),
      packed_(make_pieces(messages, transport, first_tag)), carried_(maker_of(messages, transport, first_tag)) {
  const auto& layout = messages.layout;
  if (layout.options.messages.shared_memory) shared_ = make_shared_memory(messages, transport);
  if (layout.options.messages.grouping == Grouping::per_node) by_node_ = make_by_node(messages, transport, first_tag);
  for (const auto& plan : layout.plan.messages) {
    const bool in_memory = layout.is_in_shared_memory(plan, transport);
    (plan.peer == layout.rank                     ? *copies_
     : in_memory                                  ? *shared_
     : layout.goes_by_node(plan, transport)       ? *by_node_
     : plan.is_up_to || layout.is_on_device(plan) ? *packed_
                                                  : *carried_)
        .take(plan);
  }
  for (auto* maker : {carried_.get(), copies_.get(), shared_.get()})
    if (maker != nullptr) maker->finish();
  for (const auto part : layout.plan.collectives) {
    auto& message = messages.append({.peer = -1, .round = layout.request(part).round, .parts = {part}});
    message.kind = Message::Kind::collective;
    messages.collectives.push_back(&message);
  }
  for (auto& message : messages.all)
    if (message->kind == Message::Kind::receive)
      message->to_unpack = static_cast<std::size_t>(
          std::ranges::count_if(message->items, [](const Item& item) { return item.is_packed; }));
}

void Builder::meet() {
  for (auto* maker : {shared_.get(), by_node_.get()})
    if (maker != nullptr) maker->meet();
  for (auto* message : messages_.collectives) {
    const auto& what = messages_.layout.request(message->items.front().part).collective;
    message->owner = what.owner;
    together(transport_, [&] { message->by_buffer.emplace_back().push_back(make_collective(transport_, what)); });
  }
}

}  // namespace weft::inside
