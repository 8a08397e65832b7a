// SPDX-License-Identifier: BSD-3-Clause
//
// How a message is sent and received, in any thread.
#include "weft/exchange/inside/message.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "weft/clock.hpp"
#include "weft/simulated.hpp"

namespace weft::inside {
namespace {

// Many parts are one number, whose copy takes less time than the call of a function that copies any region.
bool is_number(const Region& region) { return region.is_contiguous() && region.bytes() == sizeof(double); }

void copy_number(std::byte* to, const std::byte* from) {
  std::memcpy(to, from, sizeof(double));
  simulated::copied(sizeof(double));
}

void pack_region(const Region& from, std::byte* out) {
  is_number(from) ? copy_number(out, from.run().data()) : from.pack(out);
}

void unpack_region(const Region& to, const std::byte* in) {
  is_number(to) ? copy_number(to.run().data(), in) : to.unpack(in);
}

}  // namespace

void Message::prepare() {
  if (!by_buffer.empty()) pieces = &by_buffer[by_buffer.size() == 1 ? 0 : start.buffer_index];
  unmarked = marked;
  unready.store((marked > 0 ? 1 : 0) + continued, std::memory_order_relaxed);
  unaccepted = deferred;
  unpack_seconds = pack_seconds = 0;
  arrived = unpacked = next = 0;
  knows_sizes = size_bytes == 0 || kind == Kind::send;
  for (std::size_t i = 0; i < items.size() && size_bytes > 0; ++i) take_size(i);
  for (std::size_t i = 0; i < items.size() && device; ++i)
    if (items[i].on) items[i].on->prepare();
  for (std::size_t k = 0; k < missing.size(); ++k) missing[k] = std::min(piece_bytes, bytes - k * piece_bytes);
  if (growing && kind == Kind::receive) buffer = growing->receive_head(*pieces);
  state.store(State::idle, std::memory_order_relaxed);
}

void Message::take_size(std::size_t item) {
  auto& i = items[item];
  if (i.is_up_to && kind == Kind::send) i.bytes = place(i).bytes();
}

void Message::post() {
  for (std::size_t k = 0; k < pieces->size() && !leaves_by_pieces(); ++k) {
    if (device && kind == Kind::send) queue_packing(k);
    (*pieces)[k]->start();
  }
  state.store(State::in_flight, std::memory_order_release);
}

bool Message::test() {
  for (; arrived < piece_count() && (*pieces)[arrived]->test(); ++arrived)
    if (growing && !knows_sizes) receive_rest();
  return arrived == piece_count();
}

// The sizes are in front, in the order of the parts that have one; then come the parts, without gaps.
std::size_t Message::place_items() {
  auto offset = size_bytes;
  for (auto& item : items) {
    item.offset = offset;
    offset += item.bytes;
  }
  return offset;
}

void Message::write_sizes() {
  auto* at = buffer.data();
  for (const auto& item : items) {
    if (!item.is_up_to) continue;
    const std::uint64_t n = item.bytes;
    std::memcpy(at, &n, sizeof n);
    at += sizeof n;
  }
}

std::size_t Message::read_sizes() {
  const auto* at = buffer.data();
  for (auto& item : items) {
    if (!item.is_up_to) continue;
    std::uint64_t n = 0;
    std::memcpy(&n, at, sizeof n);
    item.bytes = static_cast<std::size_t>(n);
    at += sizeof n;
  }
  return place_items();
}

// The receive buffer becomes the data of a single part without memory.
void Message::receive_rest() {
  const auto total = read_sizes();
  auto& first = items.front();
  const bool may_land = items.size() == 1 && deferred == 0 && !first.buffers->has_memory();
  first.has_landed = may_land && growing->land(size_bytes, first.bytes, first.kept, *pieces);
  if (!may_land) buffer = growing->receive_rest(total, *pieces);
  knows_sizes = true;
}

void Message::make_room() {
  const auto total = place_items();
  if (growing && items.size() == 1) {
    const auto lies = place(items.front()).run();
    buffer = growing->send_one(size_bytes, lies.first(items.front().bytes), *pieces);
  } else if (growing) {
    buffer = growing->send(total, *pieces);
  } else if (is_to_self()) {
    other_end->make_buffer(total);
    buffer = other_end->buffer;
  }
}

// Each piece is sent when its own part of the packing is done.
void Message::queue_packing(std::size_t piece) {
  const auto first = piece * piece_bytes, last = std::min(bytes, first + piece_bytes);
  for (const auto& item : items) {
    if (!item.on || item.bytes == 0) continue;
    const auto from = std::max(first, item.offset), to = std::min(last, item.offset + item.bytes);
    if (from >= to) continue;
    if (continued > 0 && start.layout.leaves_by_continuation(item.part))
      item.on->wait_for(start.queue, start.layout.describe(item.part));
    if (item.is_packed)
      item.on->pack(start.buffer_index, {from - item.offset, to - from}, buffer.data() + from);
    else
      item.on->let_wait(item.on->queues()->packing);
  }
}

// The number of bytes that have arrived, or more when all have.
std::size_t Message::come() const {
  if (arrived == piece_count()) return std::numeric_limits<std::size_t>::max();
  return growing ? growing->come(arrived) : arrived * piece_bytes;
}

inline void Message::pack(const Item& item) {
  const double before = start.events.now();
  if (item.is_up_to)
    pack_up_to(item);
  else if (item.on)
    item.on->pack(start.buffer_index, {0, item.bytes}, buffer.data() + item.offset);
  else
    pack_region(place(item), buffer.data() + item.offset);
  if (start.events.is_on()) note_packed(item, before);
}

// The rest may be sent without packing.
void Message::pack_up_to(const Item& item) {
  if (item.bytes > 0)
    std::memcpy(buffer.data() + item.offset, place(item).run().data(),
                std::min(item.bytes, buffer.size() - item.offset));
}

void Message::note_packed(const Item& item, double from) {
  const double until = now_seconds();
  if (!start.layout.queues && continued == 0) return start.events.add(item.part.client, Activity::pack, from, until);
  pack_seconds += until - from;
  packed_at = until;
}

void Message::pack_items() {
  if (size_bytes > 0) {
    make_room();
    write_sizes();
  }
  for (const auto& item : items)
    if (item.is_packed && !item.on) pack(item);
}

void Message::leave() {
  if (is_to_self()) {
    start.note_departure(round);
    return move_to_self();
  }
  if (kind == Kind::send && !leaves_by_pieces()) pack_items();
  start.note_departure(round);
  post_or_wait();
  start.wake(kind == Kind::send ? Side::sending : Side::receiving);
}

// The message counts as in flight when its last piece is.
void Message::leave(std::size_t number) {
  const auto& item = items[number];
  pack(item);
  const auto from = item.offset, to = from + item.bytes;
  for (auto k = from / piece_bytes; k * piece_bytes < to; ++k) {
    missing[k] -= std::min(to, (k + 1) * piece_bytes) - std::max(from, k * piece_bytes);
    if (missing[k] > 0) continue;
    start.note_departure(round);
    (*pieces)[k]->start();
  }
}

inline void Message::put(Item& item, const std::byte* from) {
  if (item.on)
    put_on_device(item, from);
  else if (!sources.empty())
    take_from(sources[static_cast<std::size_t>(&item - items.data())], item);
  else if (item.is_up_to)
    put_up_to(item, from);
  else if (item.combine != nullptr)
    place(item).combine(from, item.combine->reduction());
  else
    unpack_region(place(item), from);
}

// Copied from one region to the other, which counts as packing. `done` is published, because arrived() reads it. Data
// that are accepted later, or combined in an order, stay in the receive's buffer, from where the progress code takes
// them.
void Message::move_to_self() {
  auto& target = *other_end;
  if (target.is_kept) {
    pack_items();
    arrive();
    target.state.store(State::in_flight, std::memory_order_release);
    return start.wake(Side::receiving);
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    const double before = start.events.now();
    const auto &from = place(items[i]), &to = place(target.items[i]);
    target.items[i].bytes = items[i].bytes;
    if (items[i].is_up_to)
      target.put(target.items[i], from.run().data());
    else if (is_number(from))
      unpack_region(to, from.run().data());
    else
      from.copy(to, buffer.data());
    if (start.events.is_on()) note_packed(items[i], before);
  }
  arrive();
  target.arrive();
}

void Message::unpack() {
  if (!knows_sizes) {
    if (come() < size_bytes) return;
    read_sizes();
    knows_sizes = true;
  }
  if (deferred > 0) {
    for (std::size_t i = 0; i < items.size(); ++i)
      if (!items[i].waits_for_turn) unpack(i);
  } else {
    const double before = start.events.now();
    const auto end = come();
    auto i = next, put_now = unpacked;
    for (; i < items.size() && items[i].offset + items[i].bytes <= end; ++i) {
      if (items[i].waits_for_turn) continue;
      put(items[i], buffer.data() + items[i].offset);
      ++put_now;
    }
    next = i;
    unpacked = put_now;
    if (next < items.size()) put_begin(items[next]);
    if (start.events.is_on()) unpack_seconds += now_seconds() - before;
  }
}

void Message::put_on_device(const Item& item, const std::byte* from) {
  if (!sources.empty()) {
    sources[static_cast<std::size_t>(&item - items.data())].pack(staging.data() + item.offset);
    from = staging.data() + item.offset;
  }
  item.on->unpack(start.buffer_index, item.bytes, from, item.combine);
  device->note_unpacking();
}

void Message::put_up_to(Item& item, const std::byte* from) {
  if (std::exchange(item.has_landed, false))
    growing->swap_landed(item.kept);
  else if (!item.buffers->has_memory())
    item.kept.assign(from, from + item.bytes);
  else if (item.bytes > 0)
    std::memcpy(place(item).run().data(), from, item.bytes);
}

// A device unpacks the pieces of a large part that have arrived.
void Message::put_begin(const Item& item) {
  const auto here = arrived * piece_bytes;
  if (!item.on || item.combine != nullptr || here <= item.offset) return;
  item.on->unpack(start.buffer_index, here - item.offset, buffer.data() + item.offset, nullptr);
  device->note_unpacking();
}

void Message::take_from(const Region& source, const Item& item) {
  const auto& to = place(item);
  const bool is_direct = item.combine != nullptr ? source.is_contiguous() : source.copies_to(to);
  if (!is_direct && own_buffer.size() < source.bytes()) own_buffer.resize(source.bytes());
  if (item.combine == nullptr) return source.copy(to, own_buffer.data());
  if (!is_direct) source.pack(own_buffer.data());
  to.combine(is_direct ? source.run().data() : own_buffer.data(), item.combine->reduction());
}

bool Message::unpack(std::size_t number) {
  auto& item = items[number];
  if (!is_in(State::in_flight) || !knows_sizes || come() < item.offset + item.bytes) return false;
  if (deferred > 0 && !start.take_accepted(item.part)) return false;
  const double before = start.events.now();
  put(item, buffer.data() + item.offset);
  ++unpacked;
  if (start.events.is_on()) unpack_seconds += now_seconds() - before;
  return true;
}

// In shared memory the sender waits until the data are unpacked, and a continuation uses them.
bool Message::is_unpacked() {
  if (unpacked < to_unpack) return false;
  if (!device) return true;
  const auto& mark = device->unpacked();
  const bool may_be_early = start.early_round.load(std::memory_order_acquire) >= round && shared == nullptr &&
                            when_done.empty() && mark.is_on(start.early_device.load(std::memory_order_relaxed));
  return may_be_early || mark.is_done();
}

std::span<std::byte> Message::in_pages(std::vector<std::byte>& memory, std::size_t size) {
  static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  memory.resize((size + page - 1) / page * page + page);
  void* first = memory.data();
  auto room = memory.size();
  return {static_cast<std::byte*>(std::align(page, size, first, room)), size};
}

bool Message::is_on_one_device() const {
  return device && device->devices().size() == 1 &&
         std::ranges::all_of(items, [](const Item& item) { return item.on != nullptr; });
}

void Message::follow_devices() {
  if (!device) return;
  const bool sends = kind == Kind::send, direct = std::ranges::none_of(items, &Item::is_packed);
  if (!direct && !is_device_buffer) device->pin(buffer);
  if (!sources.empty()) {
    staging = in_pages(staging_memory, bytes);
    device->pin(staging);
  }
  for (auto& of_buffer : by_buffer)
    direct && !sends ? device->delay_direct(of_buffer) : device->delay(of_buffer, sends, is_partitioned);
}

void Message::arrive() {
  if (shared != nullptr) shared->consume();
  finished = start.events.now();
  for (const auto& then : when_done) then();  // before its round can be over
  state.store(State::done, std::memory_order_release);
  start.count_down(round);
}

void Message::record_copies() {
  const bool packs = kind == Kind::send;
  const double seconds = packs ? pack_seconds : unpack_seconds;
  if (seconds <= 0) return;
  double at = (packs ? packed_at : finished) - seconds;
  std::size_t all = 0;
  for (const auto& item : items) all += item.bytes;
  for (const auto& item : items) {
    if (item.bytes == 0) continue;
    const double next = at + static_cast<double>(item.bytes) / static_cast<double>(all) * seconds;
    start.events.add(item.part.client, packs ? Activity::pack : Activity::unpack, at, next);
    at = next;
  }
}

// Collectives and partitions can't be cancelled, so they use weft's buffers alone.
bool Message::uses_memory_of_program() const {
  if (device) return true;
  if (shared != nullptr || kind == Kind::collective) return false;
  const bool is_sent_from_place = growing && items.size() == 1 && kind == Kind::send;
  return is_sent_from_place || !sources.empty() ||
         std::ranges::any_of(items, [](const Item& i) { return !i.is_packed; });
}

Failure::Left Message::stop() noexcept {
  if (is_to_self() || pieces == nullptr) return Failure::Left::nothing;
  bool is_free = !device || device->is_idle();  // the device may still unpack what has arrived
  if (is_in(State::done)) return is_free ? Failure::Left::nothing : Failure::Left::memory_of_program;
  for (auto& piece : *pieces) is_free = piece->abandon() && is_free;
  if (is_free) {
    state.store(State::done, std::memory_order_release);
    return Failure::Left::nothing;
  }
  if (uses_memory_of_program()) return Failure::Left::memory_of_program;
  return is_partitioned || kind == Kind::collective ? Failure::Left::collectives : Failure::Left::messages;
}

void Message::leak() noexcept {
  bool is_free = true;
  for (auto& operations : by_buffer)
    for (auto& operation : operations) is_free = operation->abandon() && is_free;
  if (is_free) return;
  struct Left {
    std::vector<std::byte> buffer, staging;  // must outlive the operations
    std::unique_ptr<DeviceWork> device;
    std::vector<Item> items;
    std::unique_ptr<Growing> growing;
    std::shared_ptr<const void> owner;
    std::vector<Operations> operations;
  };
  auto left = std::make_shared<Left>(Left{std::move(own_buffer),
                                          std::move(staging_memory),
                                          nullptr,
                                          {},
                                          std::move(growing),
                                          std::move(owner),
                                          std::move(by_buffer)});
  if (device) left->items.swap(items);
  left->device = std::move(device);
  leak_until_exit(std::move(left));
}

}  // namespace weft::inside
