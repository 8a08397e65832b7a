// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/requests.hpp"

#include <algorithm>
#include <utility>

#include "weft/error.hpp"

namespace weft {

Buffers::Buffers(std::vector<Region> by_buffer) : all_(std::move(by_buffer)), bytes_(0) {
  if (all_.empty())
    throw Error("A part has no memory region. Give one region, or one per buffer of a multiple buffering.");
  bytes_ = all_.front().bytes();
  for (const auto& region : all_)
    if (region.bytes() != bytes())
      throw Error("A part has buffers of " + std::to_string(bytes()) + " and " + std::to_string(region.bytes()) +
                  " bytes. Give all its buffers the same size.");
  for (const auto& region : all_)
    if (!region.type().agrees_with(type()))
      throw Error("A part has buffers of " + type().name() + " and " + region.type().name() +
                  ". Give all its buffers the same type.");
  for (const auto& region : all_)
    if (region.device() != device())
      throw Error("A part has buffers in memory of different devices. Give all its buffers the same.");
}

bool Buffers::is_contiguous() const { return std::ranges::all_of(all_, &Region::is_contiguous); }
bool Buffers::is_writable() const { return std::ranges::all_of(all_, &Region::is_writable); }

Buffers given(std::size_t bytes, std::shared_ptr<device::Device> device) {
  Buffers buffers(Region().on(std::move(device)));
  buffers.bytes_ = bytes;
  buffers.is_given_ = true;
  buffers.has_memory_ = false;
  return buffers;
}

void Requests::check_open() const {
  if (sealed_)
    throw Error("Client '" + client_ +
                "' requests more after its exchange was committed. List everything before commit(), or make a new "
                "exchange (a StepManager makes one after changed()).");
}

Part Requests::add(Request request) {
  check_open();
  constexpr int last_round = 65535;  // memory is kept for every round up to the last one
  if (request.round < 0 || request.round > last_round)
    throw Error("Client '" + client_ + "' requests round " + std::to_string(request.round) + ". Use 0 to " +
                std::to_string(last_round) + ".");
  rounds_ = std::max(rounds_, request.round + 1);
  list_.push_back(std::move(request));
  return {number_, static_cast<std::uint32_t>(list_.size() - 1)};
}

Part Requests::add_part(Request::Kind kind, int peer, Key key, Buffers buffers, bool is_up_to, int round) {
  const auto who = [&] { return "Client '" + client_ + "', key " + std::to_string(key); };
  if (kind == Request::Kind::receive && !buffers.is_writable())
    throw Error(who() + " receives into constant memory. Give writable memory.");
  if (is_up_to && !buffers.is_contiguous())
    throw Error(who() + " is a part of up to n bytes, but its memory is not contiguous. Give contiguous memory.");
  return add(
      {.kind = kind, .round = round, .peer = peer, .key = key, .buffers = std::move(buffers), .is_up_to = is_up_to});
}

ReceivePart Requests::receive(int peer, Key key, Buffers buffers, const ReceiveOptions& options) {
  if (options.combine) {
    check_whole_elements(key, options.combine, buffers.bytes());
    for (std::size_t i = 0; buffers.has_memory() && i < buffers.buffer_count(); ++i)
      check_combine(key, options.combine, buffers.at(i));
  }
  const auto part = add_part(Request::Kind::receive, peer, key, std::move(buffers), false, options.round);
  list_.back().combine = options.combine;
  list_.back().in_any_order = options.in_any_order;
  return {part};
}

void Requests::check_combine(Key key, const Combine& combine, const Region& region) const {
  const auto who = [&] { return "Client '" + client_ + "', key " + std::to_string(key); };
  if (!region.type().agrees_with(combine.type()))
    throw Error(who() + " combines values of " + combine.type().name() + " with " + region.type().name() +
                ". Use the reduction of the memory's type.");
  const auto bytes = combine.reduction().element_bytes;
  check_whole_elements(key, combine, region.has_elements_of(bytes) ? 0 : 1);
  if (!region.device()) return;
  // The threads of a kernel would combine into it at the same time.
  auto offsets = std::vector(region.layout().offsets.begin(), region.layout().offsets.end());
  std::ranges::sort(offsets);
  if (std::ranges::adjacent_find(offsets, [=](auto a, auto b) { return b - a < bytes; }) != offsets.end())
    throw Error(who() + " combines into an element twice in memory of a device. Give each element once.");
}

// Of memory, or of a contiguous run of it.
void Requests::check_whole_elements(Key key, const Combine& combine, std::size_t run) const {
  const auto bytes = combine.reduction().element_bytes;
  if (bytes > 0 && run % bytes == 0) return;
  throw Error("Client '" + client_ + "', key " + std::to_string(key) + " combines elements of " +
              std::to_string(bytes) + " bytes, but its memory is cut within elements. Give whole elements.");
}

void Requests::rebind(Part part, Region region) {
  auto& request = list_.at(part.index);
  const auto who = [&] { return "Client '" + client_ + "', key " + std::to_string(request.key); };
  if (!request.buffers.is_given())
    throw Error(who() + " is rebound, but its memory is fixed. List it with its size alone (given() in C++).");
  const auto bytes = request.buffers.bytes();
  const bool fits =
      request.is_up_to && request.kind == Request::Kind::send ? region.bytes() <= bytes : region.bytes() == bytes;
  if (!fits)
    throw Error(who() + " is rebound to " + std::to_string(region.bytes()) + " bytes, but has " +
                std::to_string(bytes) + ". Give as many bytes.");
  if (request.kind == Request::Kind::receive && !region.is_writable())
    throw Error(who() + " receives into constant memory. Give writable memory.");
  if (request.is_up_to && !region.is_contiguous())
    throw Error(who() + " is a part of up to n bytes, but its memory is not contiguous. Give contiguous memory.");
  if (region.device() != request.buffers.device())
    throw Error(
        who() +
        " is rebound to memory of another device. List it with the device of its memory (given(), in Python like=).");
  if (request.combine) check_combine(request.key, request.combine, region);
  request.buffers.give(std::move(region));
}

void Requests::continuation(int round, std::function<void()> then) {
  check_open();
  if (round != static_cast<int>(continuations_.size()))
    throw Error("Client '" + client_ + "' has a continuation for round " + std::to_string(round) +
                " out of order. Give that for round " + std::to_string(continuations_.size()) + " next.");
  continuations_.push_back(std::move(then));
}

CollectivePart Requests::collective(Collective what, int round) {
  return {
      add({.kind = Request::Kind::collective, .round = round, .key = collectives_++, .collective = std::move(what)})};
}

Requests Requests::renumbered(std::uint32_t number) const {
  auto copy = *this;
  copy.number_ = number;
  copy.sealed_ = false;
  return copy;
}

}  // namespace weft
