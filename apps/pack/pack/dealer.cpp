// SPDX-License-Identifier: BSD-3-Clause
#include "pack/dealer.hpp"

#include <sched.h>

#include <algorithm>
#include <utility>

#include "weft/error.hpp"

namespace weft::pack {
namespace {

template <class Make>
Operations in_pieces(std::size_t bytes, std::size_t piece, Make&& make) {
  Operations operations;
  if (piece == 0) piece = std::size_t{1} << 30;
  for (std::size_t at = 0; at < bytes; at += piece) operations.push_back(make(at, std::min(piece, bytes - at)));
  return operations;
}

template <class T>
std::span<std::byte> bytes_of(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

}  // namespace

Operations send_bytes(Transport& transport, View bytes, int peer, int tag) {
  return in_pieces(bytes.size(), transport.piece_bytes(),
                   [&](std::size_t at, std::size_t n) { return transport.send(bytes.subspan(at, n), peer, tag); });
}

Operations receive_bytes(Transport& transport, std::span<std::byte> bytes, int peer, int tag) {
  return in_pieces(bytes.size(), transport.piece_bytes(),
                   [&](std::size_t at, std::size_t n) { return transport.receive(bytes.subspan(at, n), peer, tag); });
}

Operations& start(Operations& operations) {
  for (auto& o : operations) o->start();
  return operations;
}

bool test(Operations& operations) {
  return std::all_of(operations.begin(), operations.end(), [](auto& o) { return o->test(); });
}

Dealer::Dealer(Transport& transport, const Work& work, const MapOptions& options)
    : transport_(transport), work_(work), parallel_(options.way == MapOptions::Way::parallel),
      limit_(options.way == MapOptions::Way::after ? ~std::size_t{0}
                                                   : (options.window + 3) * static_cast<std::size_t>(transport.size())),
      peers_(static_cast<std::size_t>(transport.size() - 1)) {
  int rank = 1;
  for (auto& peer : peers_) {
    peer.credits = 2;  // one to work on, one ahead
    peer.receive_header = transport_.receive(bytes_of(peer.header), rank++, tag_header);
  }
}

Driven::Result Dealer::drive() noexcept {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return Result::waiting;
  if (broken_) return Result::idle;
  bool advanced = false, open = !sending_.empty();
  try {
    std::erase_if(sending_, [](auto& s) { return test(s.operations); });
    for (int rank = 1; rank < transport_.size(); ++rank) {
      auto& peer = peers_[static_cast<std::size_t>(rank - 1)];
      while (drive_peer(rank, peer)) advanced = true;
      open = open || peer.outstanding > 0 || !peer.told_last;
    }
  } catch (...) {
    broken_ = std::current_exception();
  }
  return advanced ? Result::advanced : open ? Result::waiting : Result::idle;
}

// One thing of: a header has come, its result has come, a ticket can leave.
bool Dealer::drive_peer(int rank, Peer& peer) {
  if (deal(rank, peer)) return true;
  if (peer.receiving) {
    if (!test(peer.receive_result)) return false;
    peer.receiving = false;
    const auto header = peer.header;
    auto result = std::exchange(peer.result, {});
    peer.receive_result.clear();
    peer.listening = false;
    arrived(rank, header, std::move(result));
    return true;
  }
  if (!peer.listening) {
    if (peer.outstanding == 0) return false;  // nothing is left posted in the end
    peer.receive_header->start();
    peer.listening = true;
  }
  if (!peer.receive_header->test()) return false;
  peer.receiving = true;
  if (peer.header.wants_more) ++peer.credits;
  if (parallel_ && peer.header.kind == Header::Kind::result) return true;  // it stays there
  if (peer.header.kind == Header::Kind::held) return true;                 // it comes later
  peer.result.resize(peer.header.bytes);
  peer.receive_result = receive_bytes(transport_, peer.result, rank, tag_result);
  start(peer.receive_result);
  return true;
}

bool Dealer::deal(int rank, Peer& peer) {
  if (peer.credits == 0 || peer.told_last) return false;
  if (!failed_ && !exhausted_ && dealt_ >= in_order_ + limit_) return false;
  auto& s = sending_.emplace_back();
  if (const auto block = next(s.data)) {
    s.ticket = {.block = *block, .data_bytes = s.data.size()};
    ++peer.outstanding;
  } else {
    s.ticket.last = 1;
    peer.told_last = true;
  }
  --peer.credits;
  s.operations = send_bytes(transport_, bytes_of(s.ticket), rank, tag_ticket);
  for (auto& piece : send_bytes(transport_, s.data, rank, tag_data)) s.operations.push_back(std::move(piece));
  start(s.operations);
  return true;
}

std::optional<Block> Dealer::next(Bytes& data) {
  if (exhausted_ || failed_) return {};
  try {
    if (auto block = work_.next(data)) {
      ++dealt_;
      return block;
    }
  } catch (const std::exception& e) {
    fail(e.what(), dynamic_cast<const InputError*>(&e) != nullptr);
  }
  exhausted_ = true;
  return {};
}

std::optional<Block> Dealer::take(Bytes& data) {
  for (;;) {
    drive();
    {
      const std::lock_guard lock(mutex_);
      check();
      if (failed_ || exhausted_ || dealt_ < in_order_ + limit_) return next(data);
    }
    sched_yield();
  }
}

void Dealer::submit(const Header& header, View result) {
  const std::lock_guard lock(mutex_);
  if (parallel_ && header.kind == Header::Kind::result) result = {};
  if (header.kind == Header::Kind::result && header.block.index == in_order_ && !failed_) {
    put_in_order(0, header, result);  // most often: not copied
    put_in_order();
  } else {
    arrived(0, header, Bytes(result.begin(), result.end()));
  }
}

void Dealer::arrived(int rank, const Header& header, Bytes bytes) {
  using Kind = Header::Kind;
  if (header.kind == Kind::held) return;
  if (rank > 0) --peers_[static_cast<std::size_t>(rank - 1)].outstanding;
  if (header.kind == Kind::failed || header.kind == Kind::refused) {
    fail({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, header.kind == Kind::refused);
  } else {
    waiting_.emplace(header.block.index, Arrived{header, std::move(bytes), rank});
  }
  put_in_order();
}

void Dealer::put_in_order() {
  for (auto first = waiting_.begin(); first != waiting_.end() && (failed_ || first->first == in_order_);
       first = waiting_.erase(first))
    put_in_order(first->second.rank, first->second.header, first->second.bytes);
}

void Dealer::put_in_order(int rank, const Header& header, View bytes) {
  if (!failed_) {
    try {
      work_.in_order(header.block, written_bytes_, header.bytes, bytes);
    } catch (const std::exception& e) {
      fail(e.what(), dynamic_cast<const InputError*>(&e) != nullptr);
    }
  }
  if (parallel_) send_place(rank, header.block.index, failed_ ? Codec::unknown : written_bytes_);
  written_bytes_ += header.bytes;
  ++in_order_;
}

void Dealer::send_place(int rank, std::uint64_t index, std::uint64_t place) {
  if (rank == 0) {
    places_[index] = place;
    return;
  }
  auto& s = sending_.emplace_back();
  s.place = place;
  s.operations = send_bytes(transport_, bytes_of(s.place), rank, place_tag(index));
  start(s.operations);
}

std::optional<std::uint64_t> Dealer::place_of(std::uint64_t index) {
  drive();
  const std::lock_guard lock(mutex_);
  check();
  if (const auto found = places_.find(index); found != places_.end()) {
    const auto place = found->second;
    places_.erase(found);
    return place;
  }
  return {};
}

bool Dealer::finished() {
  drive();
  const std::lock_guard lock(mutex_);
  check();
  return sending_.empty() &&
         std::all_of(peers_.begin(), peers_.end(), [](const Peer& p) { return p.told_last && p.outstanding == 0; });
}

void Dealer::fail(const std::string& text, bool input) {
  if (failed_) return;
  failed_ = true;
  failed_input_ = input;
  failure_ = text;
}

void Dealer::rethrow() {
  const std::lock_guard lock(mutex_);
  if (!failed_) return;
  if (failed_input_) throw InputError(failure_);
  throw Error(failure_);
}

}  // namespace weft::pack
