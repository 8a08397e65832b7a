// SPDX-License-Identifier: BSD-3-Clause
#include "pack/dealer.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "weft/error.hpp"
#include "weft/yield.hpp"

namespace weft::pack {

Dealer::Dealer(Lanes& lanes, const Work& work, const MapOptions& options)
    : work_(work), parallel_(options.way == MapOptions::Way::parallel),
      limit_(options.way == MapOptions::Way::after ? ~std::size_t{0}
                                                   : (options.window + 3) * (lanes.of_workers.size() + 1)) {
  for (auto& of_worker : lanes.of_workers) workers_.push_back({.lanes = &of_worker});
}

Progressable::Result Dealer::drive() noexcept {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return Result::waiting;
  if (broken_) return Result::idle;
  bool advanced = false, open = false;
  try {
    for (auto& worker : workers_) {
      while (advance(worker)) advanced = true;
      open = open || !worker.has_last_ticket || worker.over < worker.dealt;
    }
  } catch (...) {
    broken_ = std::current_exception();
  }
  return advanced ? Result::advanced : open ? Result::waiting : Result::idle;
}

bool Dealer::advance(Worker& worker) {
  for (auto ticket = worker.over; ticket < worker.dealt; ++ticket) worker.lane(ticket).drive();
  bool any = false;
  while (take_step(worker)) any = true;
  return any;
}

// One of: a header has arrived, its result has, a ticket has ended, one is sent.
bool Dealer::take_step(Worker& worker) {
  if (worker.answered < worker.dealt && worker.lane(worker.answered).is_answered()) {
    if (worker.lane(worker.answered).header().kind == Header::Kind::kept) ++worker.kept;
    ++worker.answered;
  } else if (worker.delivered < worker.answered && worker.lane(worker.delivered).has_result()) {
    auto& lane = worker.lane(worker.delivered++);
    arrived(lane.header(), lane.take_result(), &lane);
  } else if (worker.over < worker.delivered && worker.lane(worker.over).is_over()) {
    ++worker.over;
  } else {
    return deal(worker);
  }
  return true;
}

bool Dealer::deal(Worker& worker) {
  if (worker.has_last_ticket || worker.dealt == worker.over + worker.lanes->size()) return false;
  auto& lane = worker.lane(worker.dealt);
  const auto ticket = ticket_for(worker, lane.data());
  if (!ticket) return false;
  ++worker.dealt;
  lane.deal(*ticket);
  return true;
}

// The last ticket waits for all answers, since a worker may keep more results by then.
std::optional<Ticket> Dealer::ticket_for(Worker& worker, Bytes& data) {
  constexpr std::size_t at_a_time = 2;  // one to work on, one ahead
  if (!exhausted_ && !failure_ && (worker.dealt >= worker.answered + at_a_time || !may_deal())) return {};
  if (const auto block = next(data)) return Ticket{*block, Ticket::Kind::work};
  if (worker.kept > 0 && !failure_) {
    --worker.kept;
    return Ticket{.kind = Ticket::Kind::give};
  }
  if (worker.answered < worker.dealt) return {};
  worker.has_last_ticket = true;
  return Ticket{};
}

std::optional<Block> Dealer::next(Bytes& data) {
  if (exhausted_ || failure_) return {};
  try {
    if (auto block = work_.next(data)) {
      ++dealt_;
      return block;
    }
  } catch (...) {
    fail(std::current_exception());
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
      if (may_deal()) return next(data);
    }
    yield();
  }
}

void Dealer::submit(const Header& header, View result) {
  const std::lock_guard lock(mutex_);
  if (parallel_ && header.kind == Header::Kind::result) result = {};
  if (header.kind == Header::Kind::result && header.block.index == in_order_ && !failure_) {
    put_in_order(header, result, nullptr);  // most often: not copied
    put_in_order();
  } else {
    arrived(header, Bytes(result.begin(), result.end()), nullptr);
  }
}

void Dealer::arrived(const Header& header, Bytes bytes, RootLane* lane) {
  using Kind = Header::Kind;
  if (header.kind == Kind::result) {
    waiting_.emplace(header.block.index, Arrived{header, std::move(bytes), lane});
    return put_in_order();
  }
  if (lane) lane->send_place(Codec::unknown);
  if (header.kind == Kind::kept || header.kind == Kind::none) return;
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  fail(header.kind == Kind::refused ? std::make_exception_ptr(InputError(text)) : std::make_exception_ptr(Error(text)));
  put_in_order();
}

void Dealer::put_in_order() {
  for (auto first = waiting_.begin(); first != waiting_.end() && (failure_ || first->first == in_order_);
       first = waiting_.erase(first))
    put_in_order(first->second.header, first->second.bytes, first->second.lane);
}

void Dealer::put_in_order(const Header& header, View bytes, RootLane* lane) {
  if (!failure_) {
    try {
      work_.in_order(header.block, written_bytes_, header.bytes, bytes);
    } catch (...) {
      fail(std::current_exception());
    }
  }
  const auto place = failure_ ? Codec::unknown : written_bytes_;
  if (lane)
    lane->send_place(place);
  else if (parallel_)
    places_[header.block.index] = place;
  written_bytes_ += header.bytes;
  ++in_order_;
}

std::optional<std::uint64_t> Dealer::offset_of(std::uint64_t index) {
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
  return std::ranges::all_of(workers_, [](const Worker& w) { return w.has_last_ticket && w.over == w.dealt; });
}

void Dealer::fail(std::exception_ptr failure) {
  if (!failure_) failure_ = std::move(failure);
}

std::exception_ptr Dealer::failure() {
  const std::lock_guard lock(mutex_);
  return failure_;
}

}  // namespace weft::pack
