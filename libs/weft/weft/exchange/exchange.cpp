// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/exchange.hpp"

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/exchange/inside/run.hpp"
#include "weft/exchange/message_space.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/yield.hpp"

namespace weft {

// From a client's list to a message: Layout (the requests), agree (both ends compare), Run (a start), Message (packs,
// is sent, is received), one of the carriers (its operations).
struct Exchange::Parts {
  Parts(std::shared_ptr<Transport> of_messages, MessageSpace* tags, ExchangeOptions options)
      : transport(std::move(of_messages)), space(tags), layout(std::move(options), *transport) {}

  std::shared_ptr<Transport> transport;
  MessageSpace* space;  // null: the transport belongs to this exchange alone
  inside::Layout layout;
  std::unique_ptr<inside::Run> run;  // after commit
};

Exchange::Exchange(Transport& transport, ExchangeOptions options)
    : parts_(std::make_unique<Parts>(transport.duplicate(), nullptr, std::move(options))) {}

Exchange::Exchange(MessageSpace& space, ExchangeOptions options)
    : parts_(std::make_unique<Parts>(space.transport(), &space, std::move(options))) {}

Exchange::~Exchange() {
  auto& run = parts_->run;
  if (run && run->started != nullptr) *run->started = {};
  const bool is_settled = !run || run->end();
  run.reset();
  if (!is_settled) leak_until_exit(std::move(parts_->transport));  // messages of other ranks may still arrive
}

Requests& Exchange::client(const std::string& name) {
  add(Requests(name, 0));
  return parts_->layout.clients.back();
}

std::uint32_t Exchange::add(const Requests& requests) {
  if (parts_->run)
    throw Error("Client '" + requests.client() + "' is added after commit(). Add all clients before commit().");
  return parts_->layout.add(requests);
}

void Exchange::commit() {
  auto& [transport, space, layout, run] = *parts_;
  if (run) throw Error("An exchange is committed twice. Make a new exchange.");
  layout.seal();
  const int first = space != nullptr ? space->next() : 0, most = usable_tags(*transport);
  std::unique_ptr<inside::Run> made;
  const auto agreed = inside::agree(*transport, layout.clients, layout.options, [&](const inside::Agreement& so_far) {
    parts_->layout.make_plan(so_far, *parts_->transport);
    const int tags = inside::Run::tags_of(parts_->layout);
    if (tags > most)
      throw Error("Rank " + std::to_string(parts_->layout.rank) + " needs " + std::to_string(tags) +
                  " tags for its messages with one peer, but this transport (" + parts_->transport->library() +
                  ") has " + std::to_string(most) + ". Group parts per peer, or make pieces larger.");
    if (tags <= most - first) made = std::make_unique<inside::Run>(parts_->layout, *parts_->transport, first);
    return tags;
  });
  if (space != nullptr && space->take(agreed.tags) != first) {  // the tags were used up: there is a new duplicate
    made.reset();
    transport = space->transport();
    together(*transport, [&] { made = std::make_unique<inside::Run>(parts_->layout, *parts_->transport, 0); });
  }
  made->meet();
  run = std::move(made);
}

StartedExchange Exchange::start(std::uint64_t buffer_index) {
  if (!parts_->run) throw Error("The exchange was not committed. Call commit() before start().");
  parts_->run->start(buffer_index);
  return StartedExchange(*parts_->run);
}

void Exchange::rebind(Part part, Region region) {
  if (parts_->run)
    parts_->run->rebind(part, std::move(region));
  else
    parts_->layout.rebind(part, std::move(region));
}

std::size_t Exchange::received_bytes(ReceivePart part) const {
  if (!parts_->run) throw Error("The exchange was not committed. Call commit() before received_bytes().");
  return parts_->run->received_bytes(part);
}

Bytes Exchange::take_received(ReceivePart part, Bytes spare) {
  if (!parts_->run) throw Error("The exchange was not committed. Call commit() before take_received().");
  return parts_->run->take_received(part, std::move(spare));
}

std::size_t Exchange::sent_bytes(SendPart part) const {
  parts_->layout.check(part, "asked for");
  return starts() == 0 ? 0 : parts_->run->sent_bytes(part);
}

void Exchange::cancel() noexcept {
  Exchange* const one = this;
  cancel(std::span(&one, 1));
}

void Exchange::cancel(std::span<Exchange* const> exchanges) noexcept {
  double until = 0;
  std::vector<inside::Run*> runs;
  for (auto* exchange : exchanges) {
    auto& run = exchange->parts_->run;
    if (!run || run->is_cancelled()) continue;
    if (auto* started = std::exchange(run->started, nullptr)) started->run_ = nullptr;
    run->tell_that_it_lets_go();
    runs.push_back(run.get());
    until = now_seconds() + exchange->parts_->transport->seconds_to_arrive();
  }
  // Round-robin: the other ranks may settle theirs in another order.
  for (std::erase_if(runs, [](auto* run) { return run->is_settled(); }); !runs.empty() && now_seconds() < until;
       std::erase_if(runs, [](auto* run) { return run->is_settled(); }))
    yield();
}

void Exchange::settle() {
  if (parts_->run) parts_->run->settle();
}

const Plan& Exchange::plan() const { return parts_->layout.plan; }
const std::deque<Requests>& Exchange::clients() const { return parts_->layout.clients; }
std::size_t Exchange::packed_limit_bytes() const { return parts_->layout.options.messages.packed_limit_bytes; }
std::uint64_t Exchange::starts() const { return parts_->run ? parts_->run->starts() : 0; }
std::uint64_t Exchange::polls() const { return parts_->run ? parts_->run->polls() : 0; }
bool Exchange::defers_unpacking() const { return parts_->layout.options.messages.defer_unpacking; }
std::size_t Exchange::buffer_count() const { return parts_->layout.buffer_count; }
bool Exchange::is_cancelled() const { return parts_->run && parts_->run->is_cancelled(); }
std::string Exchange::describe() const { return parts_->layout.describe(); }

}  // namespace weft
