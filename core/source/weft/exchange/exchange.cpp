// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/exchange.hpp"

#include <exception>
#include <string>
#include <utility>

#include "weft/error.hpp"
#include "weft/exchange/inside/run.hpp"
#include "weft/exchange/message_space.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/failure.hpp"

namespace weft {
namespace {

// MPI libraries end the job at a call after MPI_Finalize.
void check_not_ended(const Transport& transport) {
  if (transport.has_ended())
    throw Error("MPI was finalised (it allows no call any more). Use weft only before MPI_Finalize.");
}

}  // namespace

// From a client's list to a message: Layout (the requests), agree (both ends compare), Run (a start), Message (packs,
// is sent, is received), one of the carriers (its operations).
struct Exchange::Parts {
  Parts(std::shared_ptr<Transport> of_messages, std::shared_ptr<Failure> of_exchanges, MessageSpace* tags,
        ExchangeOptions options)
      : transport(std::move(of_messages)), failure(std::move(of_exchanges)), space(tags),
        layout(std::move(options), *transport) {}

  std::shared_ptr<Transport> transport;
  std::shared_ptr<Failure> failure;
  MessageSpace* space;  // null: the transport belongs to this exchange alone
  inside::Layout layout;
  std::unique_ptr<inside::Run> run;  // after commit

  inside::Run& committed(const char* call) const {
    failure->check();
    if (!run) throw Error(std::string("The exchange was not committed. Call commit() before ") + call + "().");
    return *run;
  }
  void commit();
};

Exchange::Exchange(Transport& transport, ExchangeOptions options) {
  std::shared_ptr<Transport> own = transport.duplicate();
  auto failure = std::make_shared<Failure>(own, "The exchange");
  parts_ = std::make_unique<Parts>(std::move(own), std::move(failure), nullptr, std::move(options));
}

Exchange::Exchange(MessageSpace& space, ExchangeOptions options)
    : parts_(std::make_unique<Parts>(space.transport(), space.failure(), &space, std::move(options))) {}

Exchange::~Exchange() {
  auto& [transport, failure, space, layout, run] = *parts_;
  if (run && run->started != nullptr) *run->started = {};
  if (run) run->end();
  run.reset();
  if (failure->has_failed()) leak_until_exit(std::move(transport));  // messages of other ranks may still arrive
}

Requests& Exchange::client(const std::string& name) {
  add(Requests(name, 0));
  return parts_->layout.clients.back();
}

std::uint32_t Exchange::add(const Requests& requests) {
  parts_->failure->check();
  if (parts_->run)
    throw Error("Client '" + requests.client() + "' is added after commit(). Add all clients before commit().");
  return parts_->layout.add(requests);
}

// If the ranks do not agree, all of them throw the same error, and may try again. Any other error is of one rank.
void Exchange::commit() {
  parts_->failure->check();
  if (parts_->run) throw Error("An exchange is committed twice. Make a new exchange.");
  check_not_ended(*parts_->transport);
  parts_->failure->together([this] { parts_->commit(); });
}

void Exchange::Parts::commit() {
  layout.seal();
  if (space != nullptr)
    transport = space->transport();  // another one than at construction, if another exchange has used up its tags
  else
    failure->name("The exchange of " + layout.names());
  const int first = space != nullptr ? space->next() : 0, most = usable_tags(*transport);
  std::unique_ptr<inside::Run> made;
  const auto prepare = [&](const inside::Agreement& so_far) {
    layout.make_plan(so_far, *transport);
    const bool by_node = layout.options.messages.grouping == Grouping::per_node;
    const int tags = weft::tags_of(layout.plan) + (by_node ? layout.plan.rounds : 0);  // of the nodes' messages
    if (tags > most)
      throw Error("Rank " + std::to_string(layout.rank) + " needs " + std::to_string(tags) +
                  " tags for its messages with one peer, but this transport (" + transport->library() + ") has " +
                  std::to_string(most) + ". Group parts per peer, or make pieces larger.");
    if (tags <= most - first) made = std::make_unique<inside::Run>(layout, *transport, failure, first);
    return tags;
  };
  inside::Agreement agreed;
  try {
    agreed = inside::agree(*transport, layout.clients, layout.options, prepare);
  } catch (...) {
    made.reset();
    layout.drop_plan();
    throw;
  }
  if (space != nullptr && space->take(agreed.tags) != first) {  // the tags were used up: there is a new duplicate
    made.reset();
    transport = space->transport();
    together(*transport, [&] { made = std::make_unique<inside::Run>(layout, *transport, failure, 0); });
  }
  made->meet();
  run = std::move(made);
}

StartedExchange Exchange::start(std::uint64_t buffer_index) { return start(device::Queue(), buffer_index); }

StartedExchange Exchange::start(const device::Queue& queue, std::uint64_t buffer_index) {
  auto& run = parts_->committed("start");
  check_not_ended(*parts_->transport);
  run.start(buffer_index, queue);
  return StartedExchange(run);
}

void Exchange::rebind(Part part, Region region) {
  parts_->failure->check();
  parts_->layout.check(part, "rebound");
  if (parts_->run)
    parts_->run->rebind(part, std::move(region));
  else
    parts_->layout.clients[part.client].rebind(part, std::move(region));
}

std::size_t Exchange::received_bytes(ReceivePart part) const {
  return parts_->committed("received_bytes").received_bytes(part);
}

Bytes Exchange::take_received(ReceivePart part, Bytes spare) {
  return parts_->committed("take_received").take_received(part, std::move(spare));
}

std::size_t Exchange::sent_bytes(SendPart part) const {
  parts_->failure->check();
  parts_->layout.check(part, "asked for");
  return starts() == 0 ? 0 : parts_->run->sent_bytes(part);
}

void Exchange::fail(const std::string& why) noexcept { parts_->failure->fail(why); }
bool Exchange::has_failed() const { return parts_->failure->has_failed(); }

const Plan& Exchange::plan() const { return parts_->layout.plan; }
const std::deque<Requests>& Exchange::clients() const { return parts_->layout.clients; }
std::size_t Exchange::packed_limit_bytes() const { return parts_->layout.options.messages.packed_limit_bytes; }
std::uint64_t Exchange::starts() const { return parts_->run ? parts_->run->starts() : 0; }
std::uint64_t Exchange::polls() const { return parts_->run ? parts_->run->polls() : 0; }
bool Exchange::defers_unpacking() const { return parts_->layout.options.messages.defer_unpacking; }
std::size_t Exchange::buffer_count() const { return parts_->layout.buffer_count; }
std::string Exchange::describe() const { return parts_->layout.describe(); }

}  // namespace weft
