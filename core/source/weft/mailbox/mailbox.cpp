// SPDX-License-Identifier: BSD-3-Clause
//
// The data from one rank to another are a stream of records, cut into buckets. A record is this struct, the header and
// the payload, each padded to 16 bytes, so that the first 16 bytes of a record are never split over two buckets.
#include "weft/mailbox/mailbox.hpp"

#include <algorithm>
#include <exception>

#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/yield.hpp"

namespace weft {
namespace {

constexpr std::size_t grain = 16;
// A rank that has left drain() may post while others still count: their handlers see none of it, since the tags of two
// phases between drains differ. No two ranks are further apart.
constexpr int credit_tag = 2;
constexpr int bucket_tag(unsigned phase) { return static_cast<int>(phase % 2); }

struct Record {
  std::uint32_t type, header_bytes;
  std::uint64_t payload_bytes;
};
static_assert(sizeof(Record) == grain);

// At the beginning of each bucket.
struct Label {
  std::uint32_t asks;  // 1: the receiver must report at once what it has handled
  std::uint32_t unused[3];
};
static_assert(sizeof(Label) == grain);

constexpr std::size_t padded(std::size_t n) { return (n + grain - 1) / grain * grain; }
std::size_t size_of(const Record& record) {
  return sizeof(Record) + padded(record.header_bytes) + padded(static_cast<std::size_t>(record.payload_bytes));
}

template <class T>
T read(std::span<const std::byte> from) {
  T value;
  std::memcpy(&value, from.data(), sizeof value);
  return value;
}

template <class T>
std::span<const std::byte> bytes_of(const T& value) {
  return std::as_bytes(std::span(&value, 1));
}

constexpr std::array<std::byte, grain> zeros{};
std::span<const std::byte> padding(std::size_t n) { return std::span(zeros).first(padded(n) - n); }

}  // namespace

Mailbox::Mailbox(Transport& transport, MailboxOptions options)
    : transport_(transport.duplicate()), failure_(std::make_shared<Failure>(transport_, "The mailbox")),
      options_(options), peers_(static_cast<std::size_t>(transport.size())), exceptions_(std::uncaught_exceptions()),
      count_(std::make_unique<Count>()) {
  auto& bytes = options_.bucket_bytes;
  if (bytes == 0) bytes = std::clamp<std::size_t>(transport_->eager_limit_bytes(), 1024, 65536);
  bytes = std::max(bytes / grain * grain, sizeof(Label) + 2 * grain);
  options_.buckets_per_peer = std::max(options_.buckets_per_peer, 1);
  count_->operation = transport_->collective(Collective::all_reduce(
      std::span<const std::int64_t>(count_->mine), std::span<std::int64_t>(count_->all), sum<std::int64_t>()));
  failure_->add(*this);
}

Mailbox::~Mailbox() {
  if (std::uncaught_exceptions() > exceptions_)
    failure_->fail("an exception destroyed it");
  else if (!is_drained_ && !transport_->has_ended())
    failure_->fail("it was destroyed with messages in flight, without drain()");
  failure_->remove(*this);
  if (!failure_->has_failed()) return;
  // What is still active uses weft's buffers only: it is leaked with them.
  const auto leak = [](Transfer& transfer) {
    if (!transfer.operation->abandon()) leak_until_exit(std::make_shared<Transfer>(std::move(transfer)));
  };
  for (auto& transfer : sends_) leak(transfer);
  if (incoming_.operation) leak(incoming_);
  if (count_->is_active && !count_->operation->abandon()) leak_until_exit(std::move(count_));
  leak_until_exit(std::move(transport_));  // messages of other ranks may still arrive
}

Failure::Left Mailbox::stop() noexcept {
  bool is_free = !incoming_.operation || incoming_.operation->abandon();
  for (auto& transfer : sends_) is_free = transfer.operation->abandon() && is_free;
  if (!is_free) return Failure::Left::messages;
  return count_->operation->abandon() ? Failure::Left::nothing : Failure::Left::collectives;
}

void Mailbox::add_handler(std::uint32_t type, std::size_t header_bytes, Handler handler) {
  if (types_.contains(type))
    throw Error("The mailbox has a handler for type " + std::to_string(type) +
                " already. Give each type its own number.");
  types_[type] = {header_bytes, std::move(handler)};
}

void Mailbox::add(std::type_index header, std::uint32_t type, std::size_t header_bytes, Handler handler) {
  if (type_of_.contains(header))
    throw Error("The mailbox has the header of type " + std::to_string(type) + " as type " +
                std::to_string(type_of_.at(header)) + " already. Give each type a header of its own.");
  add_handler(type, header_bytes, std::move(handler));
  type_of_[header] = type;
}

void Mailbox::post(std::type_index header, int rank, std::span<const std::byte> header_bytes, Payload payload) {
  const auto found = type_of_.find(header);
  if (found == type_of_.end())
    throw Error("A message is posted whose header is not registered. Call on() for this header first.");
  put_record(found->second, rank, header_bytes, payload);
}

void Mailbox::put_record(std::uint32_t type, int rank, std::span<const std::byte> header_bytes, Payload payload) {
  if (const auto known = types_.find(type); known == types_.end() || known->second.header_bytes != header_bytes.size())
    throw Error("The mailbox has no handler for messages of type " + std::to_string(type) +
                " without a header. Register it first.");
  if (rank < 0 || rank >= transport_->size())
    throw Error("A message of type " + std::to_string(type) + " is posted to rank " + std::to_string(rank) +
                ", but there are " + std::to_string(transport_->size()) + " ranks. Post to an existing rank.");
  failure_->check();
  const Record record{type, static_cast<std::uint32_t>(header_bytes.size()), payload.size()};
  ++posted_;
  is_drained_ = false;
  const std::span<const std::byte> all[] = {bytes_of(record), header_bytes, padding(header_bytes.size()), payload,
                                            padding(payload.size())};
  auto& peer = peers_[static_cast<std::size_t>(rank)];
  if (handling_) {
    if (peer.late.empty()) late_.push_back(rank);
    for (const auto bytes : all) peer.late.insert(peer.late.end(), bytes.begin(), bytes.end());
    return;
  }
  failure_->guard([&] {
    make_room(rank, size_of(record), true);
    peer.is_written = true;
    for (const auto bytes : all) put(rank, bytes, true);
    peer.is_written = false;
  });
}

Mailbox::Bucket Mailbox::fresh() {
  Bucket bucket;
  if (!spare_.empty()) {
    bucket = std::move(spare_.back());
    spare_.pop_back();
  }
  bucket.reserve(options_.bucket_bytes);
  bucket.assign(sizeof(Label), std::byte{0});
  return bucket;
}

// A record that fits into one bucket is not cut.
void Mailbox::make_room(int rank, std::size_t bytes, bool may_wait) {
  const auto filled = peers_[static_cast<std::size_t>(rank)].open.size();
  if (filled > sizeof(Label) && filled + bytes > options_.bucket_bytes &&
      sizeof(Label) + bytes <= options_.bucket_bytes)
    close(rank, may_wait);
}

void Mailbox::put(int rank, std::span<const std::byte> bytes, bool may_wait) {
  auto& peer = peers_[static_cast<std::size_t>(rank)];
  while (!bytes.empty()) {
    if (peer.open.empty()) peer.open = fresh();
    const auto n = std::min(bytes.size(), options_.bucket_bytes - peer.open.size());
    peer.open.insert(peer.open.end(), bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n));
    bytes = bytes.subspan(n);
    if (peer.open.size() == options_.bucket_bytes) close(rank, may_wait);
  }
}

void Mailbox::close(int rank, bool may_wait) {
  auto& peer = peers_[static_cast<std::size_t>(rank)];
  if (peer.open.empty()) return;
  peer.queue.push_back(std::move(peer.open));
  peer.open.clear();
  send_queued(rank);
  most_buckets_ = std::max(most_buckets_, peer.queue.size() + static_cast<std::size_t>(peer.unacknowledged));
  if (may_wait) wait_for([&peer] { return peer.queue.empty(); });
}

void Mailbox::wait_for(const std::function<bool()>& is_done) {
  const Failure::Watching watching(*failure_);
  while (!is_done())
    if (!advance()) yield();
}

void Mailbox::send_queued(int rank) {
  auto& peer = peers_[static_cast<std::size_t>(rank)];
  while (!peer.queue.empty() && peer.unacknowledged < options_.buckets_per_peer) {
    auto bucket = std::move(peer.queue.front());
    peer.queue.pop_front();
    // From half of the buckets that may be in flight: early enough not to wait, seldom enough to be cheap.
    const Label label{++peer.unacknowledged >= (options_.buckets_per_peer + 1) / 2 ? 1u : 0u, {}};
    std::memcpy(bucket.data(), &label, sizeof label);
    if (rank == transport_->rank())
      to_self_.push_back(std::move(bucket));
    else
      send(rank, std::move(bucket), bucket_tag(phase_));
  }
}

void Mailbox::send(int rank, Bucket bucket, int tag) {
  auto operation = transport_->send(bucket, rank, tag);  // the bytes of a moved vector do not move
  sends_.push_back({std::move(bucket), std::move(operation), rank});
  sends_.back().operation->start();
  is_drained_ = false;
}

void Mailbox::acknowledge(int rank) {
  auto& owed = peers_[static_cast<std::size_t>(rank)].owed;
  if (owed == 0) return;
  auto bucket = fresh();
  std::memcpy(bucket.data(), &owed, sizeof owed);
  owed = 0;
  send(rank, std::move(bucket), credit_tag);
}

// Sends everything that only waits for more data.
void Mailbox::flush() {
  for (int rank = 0; rank < transport_->size(); ++rank) {
    if (!peers_[static_cast<std::size_t>(rank)].is_written) close(rank, false);
    acknowledge(rank);
  }
}

void Mailbox::flush_late() {
  std::vector<int> ranks;
  std::swap(ranks, late_);
  for (const int rank : ranks) {
    auto& peer = peers_[static_cast<std::size_t>(rank)];
    if (peer.is_written) {
      late_.push_back(rank);
      continue;
    }
    for (std::span<const std::byte> rest(peer.late); !rest.empty();) {
      const auto bytes = size_of(read<Record>(rest));
      make_room(rank, bytes, false);
      put(rank, rest.first(bytes), false);
      rest = rest.subspan(bytes);
    }
    peer.late = {};
  }
}

bool Mailbox::finish_sends() {
  const auto before = sends_.size();
  for (std::size_t i = 0; i < sends_.size();) {
    if (!sends_[i].operation->test()) {
      ++i;
      continue;
    }
    spare_.push_back(std::move(sends_[i].bucket));
    if (i + 1 < sends_.size()) std::swap(sends_[i], sends_.back());
    sends_.pop_back();
  }
  return sends_.size() < before;
}

bool Mailbox::take_credits() {
  bool any = false;
  while (const auto arrival = transport_->probe(credit_tag)) {
    std::array<std::byte, sizeof(Label)> credit{};
    const auto receive = transport_->receive(std::span(credit), arrival->source, credit_tag);
    complete(*receive);  // it has arrived
    peers_[static_cast<std::size_t>(arrival->source)].unacknowledged -= static_cast<int>(read<std::uint32_t>(credit));
    send_queued(arrival->source);
    any = true;
  }
  return any;
}

bool Mailbox::take_bucket() {
  if (!incoming_.operation) {
    const auto arrival = transport_->probe(bucket_tag(phase_));
    if (!arrival) return false;
    incoming_.rank = arrival->source;
    incoming_.bucket = fresh();
    incoming_.bucket.resize(arrival->bytes);
    incoming_.operation = transport_->receive(incoming_.bucket, arrival->source, bucket_tag(phase_));
    incoming_.operation->start();
  }
  if (!incoming_.operation->test()) return false;
  incoming_.operation.reset();
  is_drained_ = false;
  open_bucket(incoming_.rank, incoming_.bucket);
  ++peers_[static_cast<std::size_t>(incoming_.rank)].owed;
  if (read<Label>(incoming_.bucket).asks != 0) acknowledge(incoming_.rank);
  spare_.push_back(std::move(incoming_.bucket));
  return true;
}

void Mailbox::open_bucket(int from, std::span<const std::byte> bucket) {
  auto rest = bucket.subspan(sizeof(Label));
  auto& partial = peers_[static_cast<std::size_t>(from)].partial;
  if (!partial.empty()) {
    const auto n = std::min(size_of(read<Record>(partial)) - partial.size(), rest.size());
    partial.insert(partial.end(), rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(n));
    rest = rest.subspan(n);
    if (partial.size() < size_of(read<Record>(partial))) return;
    handle(from, partial);
    partial = {};  // a large buffer is not kept
  }
  while (!rest.empty()) {
    const auto bytes = size_of(read<Record>(rest));
    if (bytes > rest.size()) {
      partial.reserve(bytes);
      partial.assign(rest.begin(), rest.end());
      return;
    }
    handle(from, rest.first(bytes));
    rest = rest.subspan(bytes);
  }
}

void Mailbox::handle(int from, std::span<const std::byte> record) {
  const auto what = read<Record>(record);
  const auto who = [&] {
    return "A message of type " + std::to_string(what.type) + " from rank " + std::to_string(from);
  };
  const auto fail = [&](const std::string& why) {
    if (error_.empty()) error_ = why;
  };
  const auto found = types_.find(what.type);
  if (found == types_.end()) {
    fail(who() + " has no handler. Call on() for its type on every rank.");
  } else if (found->second.header_bytes != what.header_bytes) {
    fail(who() + " has a header of " + std::to_string(what.header_bytes) + " bytes, but this rank's header has " +
         std::to_string(found->second.header_bytes) + ". Give the type the same header on every rank.");
  } else {
    handling_ = true;
    try {
      const auto header = record.subspan(sizeof(Record));
      found->second.handler(from, header.data(),
                            header.subspan(padded(what.header_bytes), static_cast<std::size_t>(what.payload_bytes)));
    } catch (const std::exception& e) {
      fail(who() + " could not be handled. Its handler threw: " + e.what());
    } catch (...) {
      fail(who() + " could not be handled. Its handler threw an exception of unknown type.");
    }
    handling_ = false;
  }
  ++handled_;
}

bool Mailbox::advance() {
  bool any = finish_sends();
  any = take_credits() || any;
  any = take_bucket() || any;
  if (!to_self_.empty()) {
    const auto bucket = std::move(to_self_.front());
    to_self_.pop_front();
    const int self = transport_->rank();
    open_bucket(self, bucket);
    --peers_[static_cast<std::size_t>(self)].unacknowledged;
    send_queued(self);
    any = true;
  }
  if (!late_.empty()) flush_late();
  return any;
}

void Mailbox::poll() {
  if (handling_) return;
  failure_->guard([this] {
    failure_->look_seldom();
    while (advance()) {
    }
  });
}

void Mailbox::start_count() {
  auto& mine = count_->mine;
  mine = {};
  mine[posted_messages] = posted_;
  mine[handled_messages] = handled_;
  for (const auto& peer : peers_) mine[unacknowledged] += peer.unacknowledged;
  mine[failed] = error_.empty() ? 0 : 1;
  count_->operation->start();
  count_->is_active = true;
}

bool Mailbox::is_counted() {
  count_->is_active = !count_->operation->test();
  return !count_->is_active;
}

void Mailbox::drain() {
  if (handling_) throw Error("A mailbox is drained by its own handler. Post in the handler, and drain outside of it.");
  failure_->together([this] {  // errors of handlers are thrown on all ranks, when nothing is in flight
    count_all();
    while (!sends_.empty())
      if (!finish_sends()) yield();
    ++phase_;
    is_drained_ = true;
    if (count_->all[failed] == 0) return;  // the same on all ranks
    together(*transport_, [&] {
      if (const auto why = std::exchange(error_, {}); !why.empty()) throw Error(why);
    });
  });
}

// Counts the messages of all ranks. Two counts in a row that find the same number posted and handled mean that nothing
// was in flight in between (a single one may have counted ranks at different times).
void Mailbox::count_all() {
  std::array<std::int64_t, numbers> before{};
  const auto& all = count_->all;
  const auto settled = [&] {
    return all == before && all[posted_messages] == all[handled_messages] && all[unacknowledged] == 0;
  };
  do {
    flush();
    while (advance()) {  // here too, since a count of one rank may be complete at once
    }
    before = all;
    start_count();
    while (!is_counted()) {
      if (advance()) continue;
      flush();
      yield();
    }
  } while (!settled());
}

}  // namespace weft
