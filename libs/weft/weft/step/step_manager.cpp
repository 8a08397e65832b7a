// SPDX-License-Identifier: BSD-3-Clause
#include "weft/step/step_manager.hpp"

#include <algorithm>
#include <deque>
#include <utility>

#include "weft/clock.hpp"
#include "weft/error.hpp"

namespace weft {

void Step::ready(SendPart part) { exchange_.ready(SendPart{{client_, part.index}}); }
void Step::ready(CollectivePart part) { exchange_.ready(CollectivePart{{client_, part.index}}); }
void Step::accept(ReceivePart part) {
  if (holds_) exchange_.accept(ReceivePart{{client_, part.index}});
}
void Step::progress() {
  if (drove_ == nullptr) return exchange_.progress();
  const double from = now_seconds();
  exchange_.progress();
  *drove_ += now_seconds() - from;
}

// The clients that share one exchange.
struct StepManager::Group {
  std::vector<Entry*> members;  // a member's place is its number in the exchange
  std::unique_ptr<Exchange> exchange;
  int rounds = 1;       // in which somebody computes; others follow by relay
  StepCounts per_step;  // what one start adds to the counts
};

// The exchanges that were committed with the same options.
struct StepManager::Way {
  StepOptions options;
  std::shared_ptr<Progress> progress;
  std::map<std::vector<std::uint32_t>, std::unique_ptr<Group>> groups{};  // by the numbers of their clients
};

// Clients that took part in a step together, and what they move then.
struct StepManager::Pattern {
  std::vector<std::uint32_t> numbers{};
  std::int64_t steps = 0;
  Traffic together{};
  std::vector<Traffic> alone{};
};

namespace {

constexpr std::size_t profiled_steps = 256;

// A copy of everything that an exchange overwrites on this rank.
class SavedTargets {
 public:
  explicit SavedTargets(const Exchange& exchange) {
    for (const auto& client : exchange.clients())
      for (const auto& request : client.list()) {
        if (request.kind == Request::Kind::send) continue;
        const auto out = request.collective.out;
        const Places places = request.kind == Request::Kind::receive
                                  ? request.places
                                  : Places(make_contiguous(out.data(), out.size(), true));
        for (std::size_t turn = 0; turn < places.turns(); ++turn) {
          const auto& region = places.at(turn);
          auto& copy = copies_.emplace_back(region, std::vector<std::byte>(region.bytes())).second;
          region.pack(copy.data());
        }
      }
  }
  void restore() const {
    for (const auto& [region, copy] : copies_) region.unpack(copy.data());
  }

 private:
  std::vector<std::pair<Region, std::vector<std::byte>>> copies_;
};

}  // namespace

StepManager::StepManager(Transport& transport, const StepOptions& options)
    : transport_(transport.duplicate()), timeline_(options.timeline) {
  if (timeline_ != nullptr) computed_.reserve(profiled_steps);
  use(options);
}

StepManager::~StepManager() = default;

// In a callback the exchange that called it is in use: what would end it waits, or can't be.
void StepManager::outside(const char* call) const {
  if (in_step_)
    throw Error(std::string(call) +
                "() is called by a client in a step. call it between steps (changed(), activate() and use() may come "
                "in one).");
}

// Does what was put off until the step was over.
void StepManager::catch_up() {
  for (const auto* client : std::exchange(changed_, {})) ask_again(*client);
  if (auto wanted = std::exchange(wanted_, nullptr); wanted != nullptr) go_over_to(wanted, keep_wanted_);
}

StepManager::Entry& StepManager::entry_of(const Client& client) {
  for (auto& entry : entries_)
    if (entry->client == &client) return *entry;
  throw Error("the StepManager does not know this client. add() it first.");
}

void StepManager::add(const std::string& name, Client& client, Schedule schedule) {
  if (schedule.every < 1)
    throw Error("client '" + name + "' is to be active every " + std::to_string(schedule.every) +
                " steps. use 1 or more.");
  if (schedule.offset < 0)
    throw Error("client '" + name + "' has offset " + std::to_string(schedule.offset) + ". use 0 or more.");
  for (const auto& entry : entries_)
    if (entry->name == name) throw Error("two clients are called '" + name + "'. give each its own name.");
  Requests requests(name, next_number_);
  client.request(requests);
  requests.seal();
  const auto number = next_number_++;  // nothing has thrown
  const auto track = timeline_ != nullptr ? timeline_->track(name) : 0;
  if (timeline_ != nullptr) profiled_.push_back({.name = name, .alone = {}});
  entries_.push_back(std::make_unique<Entry>(Entry{name, &client, schedule, number, std::move(requests), track}));
}

void StepManager::remove(const Client& client) {
  outside("remove");
  std::erase(changed_, &client);
  const auto number = entry_of(client).number;
  forget(number);
  std::erase_if(entries_, [&](const auto& entry) { return entry->number == number; });
}

void StepManager::changed(const Client& client) {
  static_cast<void>(entry_of(client));
  if (!in_step_) return ask_again(client);
  if (std::ranges::find(changed_, &client) == changed_.end()) changed_.push_back(&client);
}

void StepManager::ask_again(const Client& client) {
  auto& entry = entry_of(client);
  Requests requests(entry.name, entry.number);
  entry.client->request(requests);
  requests.seal();
  forget(entry.number);
  entry.requests = std::move(requests);
}

void StepManager::forget(std::uint32_t number) {
  pattern_ = nullptr;
  std::erase_if(patterns_, [&](const auto& pattern) {
    if (std::ranges::find(pattern->numbers, number) == pattern->numbers.end()) return false;
    add_to(profiled_, together_, *pattern);  // what it counted stays
    return true;
  });
  for (auto& way : ways_)
    std::erase_if(way->groups, [&](const auto& group) {
      return std::find(group.first.begin(), group.first.end(), number) != group.first.end();
    });
}

void StepManager::activate(const Client& client, bool on) { entry_of(client).active = on; }

void StepManager::coalesce(bool on) { way_->options.coalesce = on; }

bool StepManager::coalesces() const { return way_->options.coalesce; }

void StepManager::use(const StepOptions& options, bool keep) {
  auto wanted = options;
  wanted.timeline = timeline_;
  auto found = std::find_if(ways_.begin(), ways_.end(), [&](const auto& way) { return way->options == wanted; });
  if (found == ways_.end()) {
    auto progress = std::make_shared<Progress>(*transport_, wanted.progress);  // throws before anything is given up
    found = ways_.insert(ways_.end(), std::make_unique<Way>(Way{std::move(wanted), std::move(progress)}));
  }
  if (!in_step_) return go_over_to(found->get(), keep);
  wanted_ = found->get();
  keep_wanted_ = keep;
}

void StepManager::go_over_to(Way* way, bool keep) {
  way_ = way;
  if (!keep) std::erase_if(ways_, [this](const auto& other) { return other.get() != way_; });
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
  if (const auto found = way_->groups.find(key_); found != way_->groups.end() && !found->second->exchange->has_let_go())
    return *found->second;
  auto made = std::make_unique<Group>();
  made->members.assign(members.begin(), members.end());
  const auto& o = way_->options;
  made->exchange = std::make_unique<Exchange>(*transport_, ExchangeOptions{.grouping = o.grouping,
                                                                           .packed_limit_bytes = o.packed_limit_bytes,
                                                                           .by_size_bytes = o.by_size_bytes,
                                                                           .piece_bytes = o.piece_bytes,
                                                                           .watchdog_seconds = o.watchdog_seconds,
                                                                           .carrier = o.carrier,
                                                                           .shared_memory = o.shared_memory,
                                                                           .held = o.held,
                                                                           .progress = way_->progress,
                                                                           .timeline = timeline_});
  for (const auto* entry : members) made->exchange->add(entry->requests);
  made->exchange->commit();
  const auto& plan = made->exchange->plan();
  for (const auto* entry : members) made->rounds = std::max(made->rounds, entry->requests.rounds());
  made->per_step.synchronisation_points = made->rounds;
  made->per_step.collectives = static_cast<std::int64_t>(plan.collectives.size());
  for (const auto& message : plan.messages)
    if (message.send && message.peer != transport_->rank()) {
      made->per_step.messages[message.peer] += message.pieces;
      made->per_step.bytes[message.peer] += static_cast<std::int64_t>(message.bytes);
    }
  return *(way_->groups[key_] = std::move(made));
}

void StepManager::call(Group& group, StartedExchange& exchange, int round, void (Client::*phase)(Step&),
                       bool then_ready) {
  for (std::uint32_t m = 0; m < group.members.size(); ++m) {
    auto& entry = *group.members[m];
    if (round >= entry.requests.rounds()) continue;
    double drove = 0;
    Step step(step_, round, exchange, group.exchange->holds(), m, timeline_ != nullptr ? &drove : nullptr);
    const double from = timeline_ != nullptr ? now_seconds() : 0;
    (entry.client->*phase)(step);
    if (timeline_ != nullptr) {
      const double until = now_seconds();
      timeline_->add(entry.track, Activity::compute, from, until);
      auto& profiled = profiled_[entry.number];
      const double computed = until - from - drove;
      (phase == &Client::before   ? profiled.before
       : phase == &Client::during ? profiled.during
                                  : profiled.after) += computed;
      computed_now_ += computed;
    }
    if (then_ready) exchange.ready_all(m, round);
  }
}

void StepManager::run(Group& group) {
  const auto polls = group.exchange->polls();
  auto exchange = group.exchange->start(static_cast<std::uint64_t>(step_));
  for (int round = 0; round < group.rounds; ++round) {
    call(group, exchange, round, &Client::before, true);
    call(group, exchange, round, &Client::during, false);
    for (std::uint32_t m = 0; m < group.members.size(); ++m) exchange.accept_all(m, round);
    if (round + 1 < group.rounds)
      exchange.wait(round);
    else
      exchange.wait();  // and for what is relayed
    call(group, exchange, round, &Client::after, false);
  }
  call(group, exchange, 0, &Client::finish, false);
  polls_ += static_cast<double>(group.exchange->polls() - polls);
  const auto& add = group.per_step;
  counts_.synchronisation_points += add.synchronisation_points;
  counts_.collectives += add.collectives;
  for (const auto& [peer, n] : add.messages) counts_.messages[peer] += n;
  for (const auto& [peer, n] : add.bytes) counts_.bytes[peer] += n;
}

void StepManager::run_groups() {
  struct InStep {
    explicit InStep(bool& flag) : flag_(flag) { flag_ = true; }
    ~InStep() { flag_ = false; }
    bool& flag_;
  };
  const auto& groups = groups_of_step();
  const InStep in_step(in_step_);
  for (auto* group : groups) run(*group);
}

void StepManager::run_step() {
  outside("run_step");
  catch_up();
  if (timeline_ == nullptr) {
    run_groups();
  } else {
    computed_now_ = 0;
    const double from = now_seconds();
    run_groups();
    seconds_ += now_seconds() - from;
    if (computed_.size() < profiled_steps)
      computed_.push_back(computed_now_);
    else
      computed_[static_cast<std::size_t>(counts_.steps) % profiled_steps] = computed_now_;
    ++pattern_of_step().steps;
  }
  ++counts_.steps;
  ++step_;
}

// What these clients would move in one exchange.
Traffic StepManager::traffic_of(std::span<const std::uint32_t> numbers) const {
  std::deque<Requests> lists;
  for (const auto number : numbers)
    for (const auto& entry : entries_)
      if (entry->number == number) lists.push_back(entry->requests);
  const auto& o = way_->options;
  auto limit = o.packed_limit_bytes > 0 ? o.packed_limit_bytes : transport_->eager_limit_bytes();
  if (o.grouping == Grouping::by_size)
    limit = o.by_size_bytes > 0 ? o.by_size_bytes : std::min(limit, std::size_t{16384});
  return weft::traffic_of(make_plan(lists, o.grouping, limit, o.piece_bytes.value_or(transport_->piece_bytes())), lists,
                          transport_->rank());
}

// Looked for only when other clients take part than in the step before.
StepManager::Pattern& StepManager::pattern_of_step() {
  const auto is_of_step = [this](const Pattern& p) {
    return std::ranges::equal(p.numbers, active_, {}, {}, [](const Entry* e) { return e->number; });
  };
  if (pattern_ != nullptr && is_of_step(*pattern_)) return *pattern_;
  for (auto& pattern : patterns_)
    if (is_of_step(*pattern)) return *(pattern_ = pattern.get());
  auto& made = *patterns_.emplace_back(std::make_unique<Pattern>());
  for (const auto* entry : active_) {
    made.numbers.push_back(entry->number);
    made.alone.push_back(traffic_of(std::span(&entry->number, 1)));
    profiled_[entry->number].tree = !entry->requests.relays().empty() || made.alone.back().collectives > 0;
  }
  if (!made.numbers.empty()) made.together = traffic_of(made.numbers);
  return *(pattern_ = &made);
}

void StepManager::add_to(std::vector<StepProfile::Client>& clients, Traffic& together, const Pattern& pattern) {
  const auto steps = static_cast<double>(pattern.steps);
  together += pattern.together * steps;
  for (std::size_t i = 0; i < pattern.numbers.size(); ++i)
    clients[pattern.numbers[i]].alone += pattern.alone[i] * steps;
}

StepProfile StepManager::profile() const {
  StepProfile p{.steps = counts_.steps,
                .seconds = seconds_,
                .clients = profiled_,
                .together = together_,
                .polls = polls_,
                .computed = computed_};
  for (const auto& pattern : patterns_) add_to(p.clients, p.together, *pattern);
  return p;
}

const StepOptions& StepManager::options() const { return way_->options; }

void StepManager::reset_counts() {
  counts_ = {};
  for (auto& profiled : profiled_) profiled = {.name = profiled.name, .tree = profiled.tree, .alone = {}};
  for (auto& pattern : patterns_) pattern->steps = 0;
  together_ = {};
  computed_.clear();
  seconds_ = polls_ = 0;
}

double StepManager::measure_alone(int repeats) {
  outside("measure_alone");
  catch_up();
  const auto& groups = groups_of_step();
  std::vector<SavedTargets> saved;
  for (auto* group : groups) saved.emplace_back(*group->exchange);
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) {
    const double from = now_seconds();
    for (auto* group : groups) {
      auto exchange = group->exchange->start(static_cast<std::uint64_t>(step_));
      for (int round = 0; round < group->exchange->plan().rounds; ++round) {
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
