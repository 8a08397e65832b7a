// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/inside/run.hpp"

#include <algorithm>
#include <cstdio>
#include <ranges>
#include <string>

#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/simulated.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/timeout.hpp"
#include "weft/warning.hpp"
#include "weft/yield.hpp"

namespace weft::inside {

Run::Run(Layout& layout, Transport& transport, std::shared_ptr<Failure> failure, int first_tag)
    : layout_(layout), transport_(transport), start_(layout), messages_(start_),
      builder_(std::make_unique<Builder>(messages_, transport, first_tag)), continuations_(layout, messages_),
      outgoing_(messages_), incoming_(messages_), failure_(std::move(failure)), is_ready_(layout.clients, char{0}) {
  for (const auto& message : messages_.all)
    for (const auto& item : message->items)
      if (item.on && layout_.leaves_by_continuation(item.part)) continued_on_device_.push_back(item.part);
  failure_->add(*this);
}

void Run::meet() {
  builder_->meet();
  builder_.reset();
  attach(true);
}

Run::~Run() {
  attach(false);
  failure_->remove(*this);
}

void Run::end() noexcept {
  attach(false);
  if (!failure_->has_failed()) return;
  for (auto& message : messages_.all) message->leak();
}

Failure::Left Run::stop() noexcept {
  outgoing_.driving().close();
  incoming_.driving().close();
  auto left = Failure::Left::nothing;
  if (active_ && !transport_.has_ended())
    for (auto& message : messages_.all) left = std::max(left, message->stop());
  return left;
}

void Run::fail(const std::string& why) noexcept {
  for (const auto* driving : {&outgoing_.driving(), &incoming_.driving()})
    if (driving->failed()) return failure_->fail(driving->failure());
  failure_->fail(why);
}

void Run::attach(bool on) {
  if (attached_ == on) return;
  attached_ = on;
  auto* progress = layout_.options.progress.get();
  if (progress != nullptr) on ? progress->attach(*this) : progress->detach(*this);
}

void Run::prepare(std::uint64_t buffer_index) {
  start_.prepare(static_cast<std::size_t>(buffer_index % layout_.buffer_count));
  next_collective_ = 0;
  waited_rounds_ = 0;
  watch_ = {};
  others_.clear();  // of a start that was not waited for
  continuations_.prepare();
  outgoing_.prepare();
  incoming_.prepare();
  is_ready_.fill(0);
}

void Run::end_lending() {
  for (auto& [part, before] : std::views::reverse(lent_))  // a refused ready() may have lent twice
    before ? set_memory(part, std::move(*before)) : layout_.clients[part.client].unbind(part);
  lent_.clear();
}

OnDevice* Run::on_device(Part part) const {
  const auto& carried = messages_.of_part[part];
  return carried.message == nullptr ? nullptr : carried.message->items[carried.item].on.get();
}

void Run::set_memory(Part part, Region region) {
  layout_.clients[part.client].rebind(part, std::move(region));
  if (auto* on = on_device(part)) on->renew();
}

// A part in memory of a device is packed, or overwritten, after what the queue holds now.
void Run::wait_for(Part part, const device::Queue& queue, const char* call) const {
  auto* on = on_device(part);
  if (on == nullptr && queue && layout_.request(part).buffers.bytes() > 0)
    throw Error(layout_.describe(part) + " is in memory of the host. Call " + call +
                "() without a queue, when the host may use its data.");
  if (on == nullptr) return;
  if (queue || start_.queue.device() == on->queues()->device)
    return on->wait_for(queue ? queue : start_.queue, layout_.describe(part));
  if (layout_.request(part).kind == Request::Kind::send)
    throw Error(layout_.describe(part) + " is in memory of " + on->queues()->device->name() +
                " and marked ready without a queue. Give " + call + "(), or start(), the queue that writes its data.");
}

// The kernels that a continuation may queue write what it sends.
void Run::check_queue(const device::Queue& queue) const {
  for (const auto part : continued_on_device_)
    if (const auto& device = layout_.request(part).buffers.device(); queue.device() != device)
      throw Error(layout_.describe(part) + " is in memory of " + device->name() +
                  " and sent by a continuation. Give start() the queue that the continuation uses.");
}

void Run::start(std::uint64_t buffer_index, const device::Queue& queue) {
  if (active_) throw Error("The last start was not waited for. Call wait() before start().");
  if constexpr (!simulated::here) failure_->look_seldom();
  end_lending();
  check_memory();
  check_queue(queue);
  failure_->guard([&] {
    ++starts_;
    active_ = true;
    prepare(buffer_index);
    start_.queue = queue;
    for (auto& device : start_.devices)
      if (device->device == queue.device()) {
        device->started.record(queue.handle());
        device->started.let_wait(device->unpacking);
      }
    for (auto& message : messages_.all)
      if (message->marked + message->continued == 0 && !message->is_to_self()) message->post_or_wait();
    layout_.indices.mine = start_.buffer_index;
    for (const auto part : layout_.indices.sends) ready(part);
    if (layout_.options.messages.defer_unpacking)
      for (const auto part : layout_.indices.receives) accept(part);
  });
  if (incoming_.is_limited()) incoming_.drive();  // the first of those that wait
  start_.wake(Side::receiving);
}

void Run::compare_buffer_indices(int round) const {
  const auto& [mine, of_peers, sends, receives] = layout_.indices;
  for (std::size_t i = 0; i < receives.size(); ++i) {
    const auto& request = layout_.request(receives[i]);
    if (request.round != round || of_peers[i] == mine) continue;
    throw Error("An exchange is started with buffer index " + std::to_string(mine) + " on rank " +
                std::to_string(layout_.rank) + " and with " + std::to_string(of_peers[i]) + " on rank " +
                std::to_string(request.peer) + ". Give start() the same index on all ranks.");
  }
}

// Parts that the program marks ready may get their memory then.
void Run::check_memory() const {
  for (const auto part : layout_.given)
    if (layout_.leaves_by_continuation(part) ||
        (layout_.request(part).kind == Request::Kind::receive && !layout_.request(part).is_up_to))
      check_memory(part);
}

void Run::check_memory(Part part) const {
  const auto& request = layout_.request(part);
  if (request.kind == Request::Kind::collective || request.buffers.has_memory() || request.buffers.bytes() == 0) return;
  throw Error(
      layout_.describe(part) +
      " has no memory (it was listed with its size alone). Call rebind() before start(), or give the memory of a send "
      "to ready().");
}

// If it is not where it says.
void Run::check_side(Part part, const Region& region) const {
  if (region.bytes() > 0) layout_.check_side(part, region.layout().base, region.device().get());
}

void Run::rebind(Part part, Region region) {
  if (active_) throw Error("The last start was not waited for. Call wait() before rebind().");
  check_side(part, region);
  set_memory(part, std::move(region));
  std::erase_if(lent_, [part](const auto& lent) { return lent.first == part; });
}

// Its memory may be freed when the next start begins.
void Run::ready(Part part, Region region, const device::Queue& queue) {
  layout_.check(part, "marked ready");
  if (is_ready_[part] || layout_.leaves_by_continuation(part)) return ready(part);  // throws the reason
  const auto& buffers = layout_.request(part).buffers;
  std::optional<Region> before;
  if (buffers.is_given() && buffers.has_memory()) before = buffers.at(0);
  check_side(part, region);
  set_memory(part, std::move(region));
  lent_.emplace_back(part, std::move(before));
  const auto& carried = messages_.of_part[part];
  if (carried.message != nullptr) carried.message->take_size(carried.item);
  ready(part, queue);
}

void Run::ready(Part part, std::size_t bytes) {
  layout_.check(part, "marked ready");
  const auto& request = layout_.request(part);
  const auto has = request.buffers.at(start_.buffer_index).bytes();
  if (bytes > has || (!request.is_up_to && bytes != has))
    throw Error(layout_.describe(part) + " is marked ready with " + std::to_string(bytes) + " bytes, but has " +
                (request.is_up_to ? "up to " : "") + std::to_string(has) + " bytes. Give a size that fits.");
  const auto& carried = messages_.of_part[part];
  if (request.is_up_to && !is_ready_[part] && request.kind == Request::Kind::send)
    carried.message->items[carried.item].bytes = bytes;
  ready(part);
}

inline void Run::mark_ready(Part part, const device::Queue& queue) {
  const auto& carried = messages_.of_part[part];
  if (carried.is_given) check_memory(part);
  if (queue || uses_devices()) wait_for(part, queue, "ready");
  is_ready_[part] = 1;
  const bool is_last = carried.message != nullptr && carried.message->mark();
  if (is_last || carried.is_noted) follow_ready(part, is_last);
}

void Run::follow_ready(Part part, bool is_last) {
  failure_->guard([&] {
    const auto& carried = messages_.of_part[part];
    if (auto* message = carried.message) {
      if (message->kind == Message::Kind::collective)
        start_collectives();
      else if (is_last || message->leaves_by_pieces())
        outgoing_.hand_over(carried, is_last);
    }
    if (carried.round == 0) continuations_.note_ready(part.client);
  });
}

void Run::ready(Part part, const device::Queue& queue) {
  if (!messages_.of_part.has(part) || !messages_.of_part[part].is_marked) refuse_ready(part);
  if (is_ready_[part])
    throw Error(layout_.describe(part) + " is marked ready twice in one step. Call ready() once per start.");
  mark_ready(part, queue);
}

void Run::refuse_ready(Part part) const {
  layout_.check(part, "marked ready");
  if (layout_.request(part).kind == Request::Kind::receive)
    throw Error(layout_.describe(part) + " is a receive. Mark only sends and collectives ready.");
  throw Error(layout_.describe(part) + " is marked ready, but a continuation sends it. Don't call ready() for it.");
}

void Run::ready_all(std::uint32_t client, int round) {
  layout_.check_client(client);
  if (layout_.clients[client].is_continued(round)) return;
  const auto& parts = messages_.of_part.of(client);
  const device::Queue queue;
  for (std::uint32_t i = 0; i < parts.size(); ++i)
    if (parts[i].is_marked && parts[i].round == round && !is_ready_[{client, i}]) mark_ready({client, i}, queue);
  if (round == 0) failure_->guard([&] { continuations_.begin(client); });
}

void Run::accept(Part part, const device::Queue& queue) {
  layout_.check(part, "accepted");
  if (layout_.request(part).kind != Request::Kind::receive)
    throw Error(layout_.describe(part) + " is not a receive. Accept only receives.");
  if (!layout_.options.messages.defer_unpacking)
    throw Error(layout_.describe(part) +
                " is accepted, but may have been unpacked already. Set the option defer_unpacking.");
  auto& flag = is_ready_[part];
  if (flag) throw Error(layout_.describe(part) + " is accepted twice in one step. Call accept() once per start.");
  wait_for(part, queue, "accept");
  flag = 1;
  auto* message = messages_.of_part[part].message;
  if (message == nullptr) return;
  --message->unaccepted;
  incoming_.accept(part);
  start_.wake(Side::receiving);
}

void Run::accept_all(std::uint32_t client, int round) {
  layout_.check_client(client);
  if (!layout_.options.messages.defer_unpacking) return;
  const auto& list = layout_.clients[client].list();
  for (std::uint32_t i = 0; i < list.size(); ++i)
    if (list[i].kind == Request::Kind::receive && list[i].round == round && !is_ready_[{client, i}])
      accept({client, i});
}

// Ranks may become ready in different orders, but must start collectives in one order: each waits for those before it.
void Run::start_collectives() {
  const auto& all = messages_.collectives;
  for (; next_collective_ < all.size() && all[next_collective_]->unready.load(std::memory_order_relaxed) == 0;
       ++next_collective_)
    outgoing_.hand_over({.message = all[next_collective_]}, true);
}

bool Run::arrived(Part part) const {
  layout_.check(part, "asked for");
  const auto* message = messages_.of_part[part].message;
  return message == nullptr || message->is_in(Message::State::done);
}

std::size_t Run::received_bytes(Part part) const {
  layout_.check(part, "asked for");
  if (layout_.request(part).kind != Request::Kind::receive)
    throw Error(layout_.describe(part) + " is not a receive. Query the received bytes of receives only.");
  const auto& carried = messages_.of_part[part];
  if (carried.message == nullptr) return 0;
  if (!carried.message->is_in(Message::State::done))
    throw Error(layout_.describe(part) + " has not arrived. Wait for its round before you query its received bytes.");
  return carried.message->items[carried.item].bytes;
}

Bytes Run::take_received(Part part, Bytes spare) {
  static_cast<void>(received_bytes(part));  // throws if it has not arrived
  const auto& request = layout_.request(part);
  if (!request.is_up_to || request.buffers.has_memory())
    throw Error(
        layout_.describe(part) +
        " was received into its memory. Call take_received() only for a receive_up_to() that was listed with its size "
        "alone and has none.");
  const auto& carried = messages_.of_part[part];
  spare.clear();
  return std::exchange(carried.message->items[carried.item].kept, std::move(spare));
}

std::size_t Run::sent_bytes(Part part) const {
  const auto& carried = messages_.of_part[part];
  return carried.message == nullptr ? 0 : carried.message->items[carried.item].bytes;
}

void Run::progress() {
  ++polls_;
  Progress::poll(layout_.options.progress.get(), *this);
  if (!others_.empty()) others_are_done();
}

Progressable::Result Run::drive_side(Side side) noexcept {
  return side == Side::sending ? outgoing_.drive() : incoming_.drive();
}

Progressable::Result Run::drive() noexcept { return std::max(outgoing_.drive(), incoming_.drive()); }

void Run::rethrow() const {
  outgoing_.driving().rethrow();
  incoming_.driving().rethrow();
}

bool Run::test() {
  drive();
  failure_->guard([this] { rethrow(); });
  const bool waits_for_others = !others_are_done();
  for (int r = waited_rounds_; r < layout_.plan.rounds; ++r)
    if (!start_.is_over(r) || waits_for_others) {
      if constexpr (!simulated::here) failure_->look_seldom();  // the program may wait in a loop of its own
      return false;
    }
  return true;
}

void Run::check_wait(int round) const {
  if (is_in_continuation())
    throw Error("A continuation waits for its own start (that wait would never end). Do it after the continuation.");
  if (round != waited_rounds_)
    throw Error("Round " + std::to_string(round) + " is waited for out of order. Wait for round " +
                std::to_string(waited_rounds_) + " next.");
  check_ready(round);
}

void Run::wait(int round) {
  check_wait(round);
  wait_checked(round);
  if (!uses_devices()) return;
  // The queue of the program was to wait for the rounds before; now the host does.
  failure_->guard([this, round] {
    for (const auto& message : messages_.all)
      while (message->device && message->kind == Message::Kind::receive && message->round < round &&
             !message->device->unpacked().is_done()) {
        yield();
        watch();
      }
  });
}

void Run::wait_checked(int round) {
  const double from = start_.events.now();
  watch_ = {};
  failure_->guard([this, round] {
    const auto is_over = [this, round] { return others_are_done() && start_.is_over(round); };
    while (!is_over()) {
      rethrow();
      drive();
      if (is_over()) break;
      yield();
      watch();
    }
    compare_buffer_indices(round);
  });
  if (start_.events.is_on()) messages_.record_end(round, from);
  if (++waited_rounds_ == layout_.plan.rounds) active_ = false;
}

// The host waits until all data are in memory of the host, and then the queue until the device has unpacked them.
void Run::wait(int round, const device::Queue& queue) {
  if (!queue) return wait(round);
  check_wait(round);
  start_.early_device.store(queue.device().get(), std::memory_order_relaxed);
  start_.early_round.store(round, std::memory_order_release);
  wait_checked(round);
  failure_->guard([&] {
    for (const auto& message : messages_.all)
      if (message->device && message->kind == Message::Kind::receive && message->round <= round)
        message->device->let_wait(queue);
  });
}

void Run::complete(Operation& operation) {
  const Failure::Watching watching(*failure_);
  weft::complete(operation);
}

void Run::watch() {
  // Half of the time-out is told at once: on a full machine the end may come within 64 tries.
  const double limit = timeout().limit(), waited = timeout().seconds_waited();
  const bool ends_soon = limit > 0 && waited >= limit / 2 && !watch_.has_told;
  if (++watch_.tries % 64 != 0 && !ends_soon)
    return;  // seldom compared with the tests; on a full machine each call may take a time slice
  failure_->look();
  const double now = now_seconds();
  if (watch_.since == 0) {
    watch_.since = now;
    watch_.next = layout_.options.messages.watchdog_seconds;
  }
  if (!ends_soon && (watch_.next == 0 || now - watch_.since < watch_.next)) return;
  complain(std::max(now - watch_.since, ends_soon ? waited : 0));
  watch_.has_told = true;
  watch_.next *= 2;
}

void Run::check_continuations_begun(int round) const {
  if (const auto client = continuations_.not_begun())
    throw Error("Client '" + layout_.clients[*client].client() +
                "' has continuations that were not begun before round " + std::to_string(round) +
                " is waited for (the wait would never end). Call ready_all(client, 0).");
}

void Run::check_ready(int round) const {
  for (const auto& message : messages_.all)
    if (message->round == round && message->unmarked + message->unaccepted > 0) throw_unready(*message);
  check_continuations_begun(round);
}

void Run::check_ready() const {
  for (int round = waited_rounds_; round < layout_.plan.rounds; ++round) check_ready(round);
}

void Run::throw_unready(const Message& message) const {
  for (const auto& item : message.items) {
    const bool is_received = message.kind == Message::Kind::receive;
    if (is_ready_[item.part] || (is_received && !layout_.options.messages.defer_unpacking) ||
        layout_.leaves_by_continuation(item.part))
      continue;
    throw Error(layout_.describe(item.part) + (is_received ? " was not accepted" : " was not marked ready") +
                " in round " + std::to_string(message.round) + " (the wait would never end). Call " +
                (is_received ? "accept" : "ready") + "() before wait().");
  }
  throw Error("A part was not marked ready. Call ready() before wait().");
}

void Run::complain(double seconds) const {
  std::string text;
  for (const auto& message : messages_.all) {
    if (message->round != waited_rounds_ || message->is_in(Message::State::done)) continue;
    for (const auto& item : message->items)
      text += "\n  " + layout_.describe(item.part) + ", " + std::to_string(item.bytes) + " bytes";
  }
  char waited[32];
  std::snprintf(waited, sizeof waited, "%.0f", seconds);
  warn("Rank " + std::to_string(layout_.rank) + " has waited " + waited + " s in round " +
       std::to_string(waited_rounds_) + " for:" + text);
}

bool Run::can_be_waited_for() const {
  return !transport_.has_ended() && !failure_->has_failed() && !is_in_continuation() && !outgoing_.driving().failed() &&
         !incoming_.driving().failed() &&
         std::ranges::all_of(messages_.all, [](const auto& m) { return m->unmarked == 0; }) &&
         !continuations_.not_begun();
}

void Run::wait_for_all() {
  while (active_) {
    for (std::uint32_t c = 0; c < layout_.clients.size(); ++c) accept_all(c, waited_rounds_);
    wait(waited_rounds_);
  }
}

}  // namespace weft::inside
