// SPDX-License-Identifier: BSD-3-Clause
//
// The step manager and its clients.
#include "weft/step/step_manager.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "c/objects.hpp"
#include "weft/halo/halo_exchange.hpp"
#include "weft/mpi/foreign.hpp"

namespace weft::c {
namespace {

// Base: Client, or HaloClient, whose request() lists a halo's parts.
template <class Base>
class ClientInC final : public Base, public CallingClient {
 public:
  template <class... Arguments>
  ClientInC(std::string name, const weft_client& client, const StepManagerObject& steps, Arguments&&... arguments)
      : Base(std::forward<Arguments>(arguments)...), name_(std::move(name)), of_(client) {
    requests_ = {nullptr, 0, steps.rank, steps.ranks, &steps};
  }

  Client& client() override { return *this; }
  const std::vector<Request::Kind>& listed() const override { return listed_; }

  void rebind_field(StepManager& steps, std::size_t field, void* data) override {
    if constexpr (std::is_same_v<Base, HaloClient>)
      Base::rebind(steps, field, static_cast<std::byte*>(data));
    else
      throw HandleError("The client '" + name_ + "' is no halo. Add it with weft_step_manager_add_halo.");
  }

  void request(Requests& requests) override {
    if constexpr (std::is_same_v<Base, HaloClient>) Base::request(requests);
    const During during(requests_.list, &requests);
    const InCallback inside(static_cast<Client*>(this));
    call_back(
        requests_.owner, [&] { return who("request"); }, of_.request, of_.context, list_.get());
    listed_.clear();
    for (const auto& one : requests.list()) listed_.push_back(one.kind);
  }
  void before(Step& step) override { in_step("before", of_.before, step); }
  void during(Step& step) override { in_step("during", of_.during, step); }
  void after(Step& step) override { in_step("after", of_.after, step); }
  void finish(Step& step) override { in_step("finish", of_.finish, step); }

 private:
  std::string who(const char* callback) const {
    return "'" + std::string(callback) + "' of the client '" + name_ + "'";
  }
  void in_step(const char* name, int (*function)(void*, weft_step), Step& step) {
    if (function == nullptr) return;
    const During during(step_.step, &step);
    call_back(
        requests_.owner, [&] { return who(name); }, function, of_.context, handle_.get());
  }

  std::string name_;
  weft_client of_;
  RequestsObject requests_;
  std::vector<Request::Kind> listed_;
  StepObject step_{nullptr, listed_};
  Lent<weft_requests> list_{requests_};
  Lent<weft_step> handle_{step_};
};

CallingClient& client_of(StepManagerObject& steps, const char* name) {
  const auto wanted = text_at(name, "The name of a client");
  for (const auto& [known, client] : steps.clients)
    if (known == wanted) return *client;
  throw Error("The step manager has no client '" + wanted + "'.");
}

void add(weft_step_manager manager, const char* name, std::unique_ptr<CallingClient> client, std::int64_t every,
         std::int64_t offset) {
  auto& steps = get(manager);
  auto& added = *steps.clients.emplace_back(name, std::move(client)).second;
  try {
    steps.manager.add(name, added.client(), {.every = every == 0 ? 1 : every, .offset = offset});
  } catch (...) {
    // A manager that has failed may still know the client.
    if (!steps.manager.has_failed()) steps.clients.pop_back();
    throw;
  }
}

SendPart send_part(const StepObject& step, weft_part part) { return {checked(part, Request::Kind::send, step.listed)}; }
ReceivePart receive_part(const StepObject& step, weft_part part) {
  return {checked(part, Request::Kind::receive, step.listed)};
}

}  // namespace

StepOptions step_options(const weft_step_options& options) {
  return {.coalesce = options.separate == 0,
          .messages = message_options(options.messages),
          .progress = progress_options(options.progress),
          .timeline = share_if(options.timeline).get()};
}

}  // namespace weft::c

using namespace weft::c;
using weft::Request;

int weft_step_manager_create(weft_comm comm, const weft_step_options* given, weft_step_manager* manager) {
  return call(__func__, [&] {
    at(manager, "The address of the step manager");
    const auto options = options_of<weft_step_options>(given, "weft_step_options");
    *manager = handle_of<weft_step_manager>(
        std::make_shared<StepManagerObject>(*transport_of(comm), step_options(options), share_if(options.timeline)));
  });
}

int weft_step_manager_free(weft_step_manager* manager) {
  return call(__func__, [&] {
    if (manager != nullptr && *manager != nullptr) {
      auto& steps = get(*manager);
      check_idle(&steps, "step manager");
      if (steps.members > 0)
        throw HandleError("The step manager has monitors or collectives by rounds. Stop or remove these first.");
    }
    take(manager);
  });
}

int weft_step_manager_add(weft_step_manager manager, const char* name, const weft_client* client, int64_t every,
                          int64_t offset) {
  return call(__func__, [&] {
    const auto& steps = get(manager);
    const auto given = options_of<weft_client>(need(client, "The client"), "weft_client");
    need(given.request, "The function request of a client");
    add(manager, need(name, "The name of a client"), std::make_unique<ClientInC<weft::Client>>(name, given, steps),
        every, offset);
  });
}

int weft_step_manager_add_halo(weft_step_manager manager, const char* name, weft_halo halo, const weft_client* client,
                               int64_t every, int64_t offset) {
  return call(__func__, [&] {
    const auto& steps = get(manager);
    const auto given = options_of<weft_client>(client, "weft_client");
    add(manager, need(name, "The name of a client"),
        std::make_unique<ClientInC<weft::HaloClient>>(name, given, steps, get(halo).halo), every, offset);
  });
}

int weft_step_manager_remove(weft_step_manager manager, const char* name) {
  return call(__func__, [&] {
    auto& steps = get(manager);
    auto& client = client_of(steps, name);
    check_idle(&client.client(), "client");
    steps.manager.remove(client.client());
    std::erase_if(steps.clients, [&](const auto& known) { return known.second.get() == &client; });
  });
}

int weft_step_manager_changed(weft_step_manager manager, const char* name) {
  return call(__func__, [&] {
    auto& steps = get(manager);
    steps.manager.changed(client_of(steps, name).client());
  });
}

int weft_step_manager_activate(weft_step_manager manager, const char* name, int on) {
  return call(__func__, [&] {
    auto& steps = get(manager);
    steps.manager.activate(client_of(steps, name).client(), on != 0);
  });
}

int weft_step_manager_rebind(weft_step_manager manager, const char* name, weft_part part, weft_region region) {
  return call(__func__, [&] {
    auto& steps = get(manager);
    auto& client = client_of(steps, name);
    if (part == no_part) return;
    const bool is_sent = part >> 61 == 1;
    const auto checked_part = checked(part, is_sent ? Request::Kind::send : Request::Kind::receive, client.listed());
    steps.manager.rebind(client.client(), checked_part, region_of(region, is_sent));
  });
}

int weft_step_manager_rebind_field(weft_step_manager manager, const char* name, size_t field, void* data) {
  return call(__func__, [&] {
    auto& steps = get(manager);
    client_of(steps, name).rebind_field(steps.manager, field, need(data, "The field"));
  });
}

int weft_step_manager_use(weft_step_manager manager, const weft_step_options* given, int keep) {
  return call(__func__, [&] {
    get(manager).manager.use(step_options(options_of<weft_step_options>(given, "weft_step_options")), keep != 0);
  });
}

int weft_step_manager_start_at(weft_step_manager manager, int64_t step) {
  return call(__func__, [&] { get(manager).manager.start_at(step); });
}

int weft_step_manager_run_step(weft_step_manager manager) { return weft_step_manager_run_step_queue(manager, {}); }

int weft_step_manager_run_step_queue(weft_step_manager manager, weft_queue queue) {
  return call("weft_step_manager_run_step", [&] {
    auto& steps = get(manager);
    check_mpi();
    steps.manager.run_step(queue_of(queue));
  });
}

int weft_step_manager_step(weft_step_manager manager, int64_t* step) {
  return call(__func__, [&] { at(step, "The address of the number") = get(manager).manager.step(); });
}

int weft_step_manager_measure_alone(weft_step_manager manager, int repeats, double* seconds) {
  return call(__func__, [&] { give(seconds, get(manager).manager.measure_alone(repeats)); });
}

int weft_step_manager_counts(weft_step_manager manager, weft_step_counts* counts) {
  return call(__func__, [&] {
    const auto given = at(counts, "The counts").size;
    const auto& of = get(manager).manager.counts();
    const auto sum = [](const auto& of_ranks) {
      return std::accumulate(of_ranks.begin(), of_ranks.end(), std::int64_t{0},
                             [](std::int64_t all, const auto& one) { return all + one.second; });
    };
    const weft_step_counts result{given, of.steps, of.waits, of.collectives, sum(of.messages), sum(of.bytes)};
    if (given < sizeof given)
      throw HandleError("Set the size of the counts: weft_step_counts counts = {.size = sizeof counts};");
    std::memcpy(counts, &result, std::min(given, sizeof result));
  });
}

int weft_step_manager_reset_counts(weft_step_manager manager) {
  return call(__func__, [&] { get(manager).manager.reset_counts(); });
}

int weft_step_manager_fail(weft_step_manager manager, const char* why) {
  return call(__func__, [&] { get(manager).manager.fail(text_at(why, "The reason")); });
}

int weft_step_manager_has_failed(weft_step_manager manager, int* failed) {
  return call(__func__, [&] { at(failed, "The address of the answer") = get(manager).manager.has_failed(); });
}

int weft_step_manager_describe(weft_step_manager manager, const char** text) {
  return call(__func__, [&] {
    auto& steps = get(manager);
    steps.text = steps.manager.describe();
    at(text, "The address of the text") = steps.text.c_str();
  });
}

int weft_step_number(weft_step step, int64_t* number, int* round) {
  return call(__func__, [&] {
    const auto& running = get(step).get();
    give(number, running.number());
    give(round, running.round());
  });
}

int weft_step_ready(weft_step step, weft_part part) {
  return call(__func__, [&] {
    const auto& of = get(step);
    if (part == no_part) return;
    if (is_collective(part))
      of.get().ready(weft::CollectivePart{checked(part, Request::Kind::collective, of.listed)});
    else
      of.get().ready(send_part(of, part));
  });
}

int weft_step_ready_bytes(weft_step step, weft_part part, size_t bytes) {
  return call(__func__, [&] {
    auto& of = get(step);
    if (part != no_part) of.get().ready(send_part(of, part), bytes);
  });
}

int weft_step_ready_region(weft_step step, weft_part part, weft_region region) {
  return call(__func__, [&] {
    auto& of = get(step);
    if (part != no_part) of.get().ready(send_part(of, part), region_of(region, true));
  });
}

int weft_step_ready_queue(weft_step step, weft_part part, weft_queue queue) {
  return call(__func__, [&] {
    auto& of = get(step);
    if (part != no_part) of.get().ready(send_part(of, part), queue_of(queue));
  });
}

int weft_step_accept(weft_step step, weft_part part) { return weft_step_accept_queue(step, part, {}); }

int weft_step_accept_queue(weft_step step, weft_part part, weft_queue queue) {
  return call("weft_step_accept", [&] {
    auto& of = get(step);
    if (part != no_part) of.get().accept(receive_part(of, part), queue_of(queue));
  });
}

int weft_step_received_bytes(weft_step step, weft_part part, size_t* bytes) {
  return call(__func__, [&] {
    auto& of = get(step);
    give(bytes, part == no_part ? 0 : of.get().received_bytes(receive_part(of, part)));
  });
}

int weft_step_take_received(weft_step step, weft_part part, void** data, size_t* bytes) {
  return call(__func__, [&] {
    at(data, "The address of the data"), at(bytes, "The address of the number of bytes");
    auto& of = get(step);
    give_bytes(part == no_part ? weft::Bytes{} : of.get().take_received(receive_part(of, part)), data, bytes);
  });
}

int weft_step_wait_also(weft_step step, MPI_Request* request) {
  return call(__func__,
              [&] { get(step).get().wait_also(weft::mpi::foreign(at(request, "The address of the request"))); });
}

int weft_step_progress(weft_step step) {
  return call(__func__, [&] { get(step).get().progress(); });
}
