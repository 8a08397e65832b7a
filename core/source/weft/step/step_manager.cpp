// SPDX-License-Identifier: BSD-3-Clause
#include "weft/step/step_manager.hpp"

#include <algorithm>
#include <deque>
#include <exception>
#include <utility>

#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/simulated.hpp"
#include "weft/step/alone.hpp"
#include "weft/step/step_recorder.hpp"
#include "weft/yield.hpp"

namespace weft {

void Step::ready(SendPart part) { exchange_.ready(SendPart{{client_, part.index}}); }
void Step::ready(SendPart part, const device::Queue& queue) { exchange_.ready(SendPart{{client_, part.index}}, queue); }
void Step::ready(SendPart part, std::size_t bytes) { exchange_.ready(SendPart{{client_, part.index}}, bytes); }
void Step::ready(SendPart part, Region region) { exchange_.ready(SendPart{{client_, part.index}}, std::move(region)); }
void Step::ready(SendPart part, Region region, const device::Queue& queue) {
  exchange_.ready(SendPart{{client_, part.index}}, std::move(region), queue);
}
void Step::ready(CollectivePart part) { exchange_.ready(CollectivePart{{client_, part.index}}); }
void Step::accept(ReceivePart part) {
  if (all_.defers_unpacking()) exchange_.accept(ReceivePart{{client_, part.index}});
}
void Step::accept(ReceivePart part, const device::Queue& queue) {
  if (all_.defers_unpacking()) exchange_.accept(ReceivePart{{client_, part.index}}, queue);
}
std::size_t Step::received_bytes(ReceivePart part) const {
  return all_.received_bytes(ReceivePart{{client_, part.index}});
}
Bytes Step::take_received(ReceivePart part) { return all_.take_received(ReceivePart{{client_, part.index}}); }
void Step::wait_also(std::unique_ptr<Operation> operation) { exchange_.wait_also(std::move(operation)); }

void Step::progress() {
  if (drove_ == nullptr) return exchange_.progress();
  const double from = now_seconds();
  exchange_.progress();
  *drove_ += now_seconds() - from;
}

// The clients that share one exchange.
struct StepManager::Group {
  std::vector<Entry*> members;  // a member's position is its client number in the exchange
  std::unique_ptr<Exchange> exchange;
  int rounds = 1;                               // in which a client computes; continuations start further rounds
  StepCounts per_step;                          // the additions of one start to the counts
  std::vector<std::pair<int, SendPart>> up_to;  // in addition, by peer: parts whose number of bytes each start sets
};

// The exchanges committed with the same options.
struct StepManager::Way {
  StepOptions options;
  std::shared_ptr<Progress> progress;
  std::map<std::vector<std::uint32_t>, std::unique_ptr<Group>> groups{};  // by the numbers of their clients
};

namespace {

// What must be the same on all ranks: otherwise they wait in different exchanges.
std::string text_of(const Schedule& schedule) {
  if (schedule.every == 1) return "in every step";
  return "every " + std::to_string(schedule.every) + " steps, from step " +
         std::to_string(schedule.offset % schedule.every) + " on";
}

}  // namespace

StepManager::StepManager(Transport& transport, const StepOptions& options)
    : space_(transport, "The StepManager"), recorder_(std::make_unique<StepRecorder>(options.timeline)) {
  use(options);
}

StepManager::~StepManager() = default;

// In a callback, the exchange that made the call is in use: functions that would destroy it are deferred or not
// allowed.
void StepManager::outside(const char* call) const {
  space_.failure()->check();
  if (in_step_)
    throw Error(std::string(call) +
                "() is called by a client in a step. Call it between steps (changed(), activate() and use() are "
                "allowed in a step).");
}

// Does the deferred work of the step. If a client throws, exchanges may refer to memory that it has freed.
void StepManager::catch_up() {
  space_.failure()->guard([this] {
    if (auto wanted = std::exchange(wanted_, std::nullopt)) go_over_to(std::move(*wanted));
    for (const auto* client : std::exchange(changed_, {})) ask_again(*client);
  });
}

StepManager::Entry& StepManager::entry_of(const Client& client) {
  space_.failure()->check();
  for (auto& entry : entries_)
    if (entry->client == &client) return *entry;
  throw Error("The StepManager does not have this client. Call add() first.");
}

void StepManager::add(const std::string& name, Client& client, Schedule schedule) {
  space_.failure()->check();
  Timeline::check_client(name);
  if (schedule.every < 1)
    throw Error("Client '" + name + "' is active every " + std::to_string(schedule.every) + " steps. Use 1 or more.");
  if (schedule.offset < 0)
    throw Error("Client '" + name + "' has offset " + std::to_string(schedule.offset) + ". Use 0 or more.");
  for (const auto& entry : entries_)
    if (entry->name == name) throw Error("Two clients are called '" + name + "'. Give each client its own name.");
  Requests requests(name, next_number_);
  space_.failure()->guard([&] {  // it may throw on one rank alone
    client.request(requests);
    requests.agree_on(text_of(schedule));
    requests.seal();
  });
  const auto number = next_number_++;
  recorder_->add_client(name);
  recorder_->set_tree(number, !requests.continuations().empty());
  entries_.push_back(std::make_unique<Entry>(Entry{name, &client, schedule, number, std::move(requests)}));
}

void StepManager::remove(const Client& client) {
  const bool is_new = std::ranges::any_of(
      entries_, [&](const auto& entry) { return entry->client == &client && entry->number >= first_of_step_; });
  if (!is_new) outside("remove");
  std::erase(changed_, &client);
  const auto number = entry_of(client).number;
  forget(number);
  std::erase_if(entries_, [&](const auto& entry) { return entry->number == number; });
}

void StepManager::changed(const Client& client) {
  static_cast<void>(entry_of(client));
  if (std::ranges::find(changed_, &client) == changed_.end()) changed_.push_back(&client);
  if (in_step_) return;
  std::erase(changed_, &client);
  space_.failure()->guard([&] { ask_again(client); });
}

void StepManager::ask_again(const Client& client) {
  auto& entry = entry_of(client);
  Requests requests(entry.name, entry.number);
  entry.client->request(requests);
  requests.agree_on(text_of(entry.schedule));
  requests.seal();
  forget(entry.number);
  recorder_->set_tree(entry.number, !requests.continuations().empty());
  entry.requests = std::move(requests);
}

void StepManager::forget(std::uint32_t number) {
  recorder_->forget(number);
  for (auto& way : ways_)
    std::erase_if(way->groups, [&](const auto& group) {
      return std::find(group.first.begin(), group.first.end(), number) != group.first.end();
    });
}

// In all exchanges of the client, and in future ones.
void StepManager::rebind(const Client& client, Part part, Region region) {
  outside("rebind");
  auto& entry = entry_of(client);
  entry.requests.rebind(part, region);
  for (auto& way : ways_)
    for (auto& [key, group] : way->groups)
      for (std::uint32_t m = 0; m < group->members.size(); ++m)
        if (group->members[m] == &entry) group->exchange->rebind({m, part.index}, region);
}

void StepManager::activate(const Client& client, bool on) { entry_of(client).active = on; }

void StepManager::coalesce(bool on) {
  space_.failure()->check();
  (wanted_ ? wanted_->options : way_->options).coalesce = on;
}

bool StepManager::coalesces() const { return way_->options.coalesce; }

StepManager::Way* StepManager::way_with(const StepOptions& options) const {
  const auto found = std::ranges::find_if(ways_, [&](const auto& way) { return way->options == options; });
  return found == ways_.end() ? nullptr : found->get();
}

void StepManager::use(const StepOptions& options, bool keep) {
  space_.failure()->check();
  Wanted wanted{.options = options, .progress = {}, .keep = keep};
  wanted.options.timeline = recorder_->timeline();
  // Throws before anything is destroyed.
  if (way_with(wanted.options) == nullptr)
    wanted.progress = std::make_shared<Progress>(*space_.transport(), wanted.options.progress);
  wanted_ = std::move(wanted);
  if (in_step_) return;
  go_over_to(*std::exchange(wanted_, std::nullopt));
}

void StepManager::go_over_to(Wanted wanted) {
  way_ = way_with(wanted.options);
  if (way_ == nullptr) {
    if (!wanted.progress) wanted.progress = std::make_shared<Progress>(*space_.transport(), wanted.options.progress);
    way_ = ways_.emplace_back(std::make_unique<Way>(Way{std::move(wanted.options), std::move(wanted.progress)})).get();
  }
  if (!wanted.keep) std::erase_if(ways_, [this](const auto& other) { return other.get() != way_; });
}

void StepManager::start_at(std::int64_t step) {
  outside("start_at");
  if (step < 0) throw Error("Step " + std::to_string(step) + " is before the first step. Use 0 or more.");
  step_ = step;
}

const std::vector<StepManager::Group*>& StepManager::groups_of_step() {
  active_.clear();
  groups_now_.clear();
  for (auto& entry : entries_)
    if (entry->active && step_ % entry->schedule.every == entry->schedule.offset % entry->schedule.every)
      active_.push_back(entry.get());
  if (way_->options.coalesce) {
    if (!active_.empty()) groups_now_.push_back(&group_of(active_));
  } else {
    for (auto*& entry : active_) groups_now_.push_back(&group_of(std::span(&entry, 1)));
  }
  return groups_now_;
}

StepManager::Group& StepManager::group_of(std::span<Entry* const> members) {
  key_.clear();
  for (const auto* entry : members) key_.push_back(entry->number);
  if (const auto found = way_->groups.find(key_); found != way_->groups.end()) return *found->second;
  auto made = std::make_unique<Group>();
  made->members.assign(members.begin(), members.end());
  made->exchange = std::make_unique<Exchange>(
      space_, ExchangeOptions{.messages = way_->options.messages,
                              .compares_buffer_indices = false,  // it is the number of the step
                              .progress = way_->progress,
                              .timeline = recorder_->timeline()});
  for (const auto* entry : members) made->exchange->add(entry->requests);
  made->exchange->commit();
  const auto& plan = made->exchange->plan();
  for (const auto* entry : members) made->rounds = std::max(made->rounds, entry->requests.rounds());
  made->per_step.waits = made->rounds;
  made->per_step.collectives = static_cast<std::int64_t>(plan.collectives.size());
  for (const auto& message : plan.messages)
    if (message.send && message.peer != space_.transport()->rank()) {
      made->per_step.messages[message.peer] += message.pieces;
      made->per_step.bytes[message.peer] += static_cast<std::int64_t>(message.bytes);
      for (const auto part : message.parts) {
        const auto& request = made->exchange->clients()[part.client].list()[part.index];
        if (!request.is_up_to) continue;
        made->up_to.emplace_back(message.peer, SendPart{part});
        made->per_step.bytes[message.peer] -= static_cast<std::int64_t>(request.buffers.bytes());
      }
    }
  return *(way_->groups[key_] = std::move(made));
}

void StepManager::call(Group& group, StartedExchange& exchange, int round, void (Client::*phase)(Step&),
                       bool then_ready) {
  using Profiled = StepProfile::Client;
  const auto sum = phase == &Client::before   ? &Profiled::before
                   : phase == &Client::during ? &Profiled::during
                                              : &Profiled::after;
  for (std::uint32_t m = 0; m < group.members.size(); ++m) {
    auto& entry = *group.members[m];
    if (round >= entry.requests.rounds()) continue;
    double in_progress_calls = 0;
    Step step(step_, round, *group.exchange, exchange, m, recorder_->is_on() ? &in_progress_calls : nullptr, queue_);
    const double from = recorder_->now();
    (entry.client->*phase)(step);
    recorder_->computed(entry.number, sum, from, in_progress_calls);
    if (then_ready) exchange.ready_all(m, round);
  }
}

void StepManager::run(Group& group) {
  const auto polls = group.exchange->polls();
  auto exchange = group.exchange->start(queue_, static_cast<std::uint64_t>(step_));
  space_.failure()->guard([&] { run_rounds(group, exchange); });  // here, where the exception is known
  recorder_->polled(group.exchange->polls() - polls);
  const auto& add = group.per_step;
  counts_.waits += add.waits;
  counts_.collectives += add.collectives;
  for (const auto& [peer, n] : add.messages) counts_.messages[peer] += n;
  for (const auto& [peer, n] : add.bytes) counts_.bytes[peer] += n;
  for (const auto& [peer, part] : group.up_to)
    counts_.bytes[peer] += static_cast<std::int64_t>(group.exchange->sent_bytes(part));
}

void StepManager::run_rounds(Group& group, StartedExchange& exchange) {
  for (int round = 0; round < group.rounds; ++round) {
    call(group, exchange, round, &Client::before, true);
    call(group, exchange, round, &Client::during, false);
    for (std::uint32_t m = 0; m < group.members.size(); ++m) exchange.accept_all(m, round);
    if (round + 1 < group.rounds)
      exchange.wait(round, queue_);
    else
      exchange.wait(queue_);  // and for rounds that continuations start
    call(group, exchange, round, &Client::after, false);
  }
  call(group, exchange, 0, &Client::finish, false);
}

void StepManager::run_groups() {
  const auto& groups = groups_of_step();  // if ranks don't agree on an exchange, nothing has started
  in_step_ = true;
  first_of_step_ = next_number_;
  space_.failure()->guard([&] {
    for (auto* group : groups) run(*group);
  });
  in_step_ = false;
}

void StepManager::run_step(const device::Queue& queue) {
  outside("run_step");
  queue_ = queue;
  if constexpr (!simulated::here) space_.failure()->look_seldom();
  catch_up();
  const double from = recorder_->now();
  run_groups();
  if (recorder_->is_on()) {
    key_.clear();
    for (const auto* entry : active_) key_.push_back(entry->number);
    recorder_->end_step(from, key_, [this](std::span<const std::uint32_t> numbers) { return traffic_of(numbers); });
  }
  ++counts_.steps;
  ++step_;
}

// The traffic of these clients in one exchange.
Traffic StepManager::traffic_of(std::span<const std::uint32_t> numbers) const {
  std::deque<Requests> lists;
  for (const auto number : numbers)
    for (const auto& entry : entries_)
      if (entry->number == number) lists.push_back(entry->requests);
  const auto messages = resolved(way_->options.messages, *space_.transport());
  const auto plan = make_plan(lists, messages.grouping, message_limit(messages), *messages.piece_bytes);
  return weft::traffic_of(plan, lists, space_.transport()->rank());
}

StepProfile StepManager::profile() const {
  space_.failure()->check();
  return recorder_->profile();
}

const StepOptions& StepManager::options() const { return way_->options; }

void StepManager::reset_counts() {
  counts_ = {};
  recorder_->reset();
}

double StepManager::measure_alone(int repeats) {
  outside("measure_alone");
  catch_up();
  const auto& groups = groups_of_step();
  if (queue_) {  // it may still wait for what the last step has received, and use that
    device::Event event(queue_.device());
    event.record(queue_.handle());
    while (!event.is_done()) yield();
  }
  std::vector<inside::SavedTargets> saved;
  std::vector<inside::LastSends> sends;
  for (auto* group : groups) {
    saved.emplace_back(*group->exchange);
    sends.emplace_back(*group->exchange);
  }
  const inside::OwnQueues queues(groups);
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) {
    const double from = now_seconds();
    for (std::size_t g = 0; g < groups.size(); ++g) {
      auto* group = groups[g];
      auto exchange = group->exchange->start(queues.first(), static_cast<std::uint64_t>(step_));
      for (int round = 0; round < group->exchange->plan().rounds; ++round) {
        sends[g].ready(exchange, round, queues);
        queues.ready(*group->exchange, exchange, round);
        for (std::uint32_t m = 0; m < group->members.size(); ++m) {
          exchange.ready_all(m, round);
          exchange.accept_all(m, round);
        }
        exchange.wait(round);
      }
    }
    seconds.push_back(now_seconds() - from);
  }
  for (const auto& targets : saved) targets.restore();
  if (seconds.empty()) return 0;
  std::nth_element(seconds.begin(), seconds.begin() + repeats / 2, seconds.end());
  return seconds[static_cast<std::size_t>(repeats / 2)];
}

std::string StepManager::describe() {
  outside("describe");
  catch_up();
  std::string text;
  for (auto* group : groups_of_step()) text += group->exchange->describe();
  return text;
}

}  // namespace weft
