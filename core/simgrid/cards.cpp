// SPDX-License-Identifier: BSD-3-Clause
#include "simgrid/cards.hpp"

#include <mpi.h>
#include <simgrid/actor.h>
#include <simgrid/engine.h>
#include <simgrid/host.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "weft/error.hpp"
#include "weft/mpi/request.hpp"

namespace weft::simulated {

struct Cards::Message {
  int from = 0, to = 0;
  std::size_t bytes = 0;
  std::vector<std::byte> kept;  // the data of a message sent before its receive was started
  Request *send = nullptr, *receive = nullptr;
  bool is_sent = false, is_received = false;  // started by sender and receiver
  bool meets = false;                         // it uses the rendezvous protocol
  bool is_announced = false, is_granted = false, is_there = false;
};

class Cards::Request final : public Operation {
 public:
  Request(Cards& cards, std::span<const std::byte> out, std::span<std::byte> in, bool sends, const Key& key,
          bool synchronous)
      : cards_(cards), queue_(cards.unmatched_[key]), out_(out), in_(in), from_(std::get<3>(key)),
        to_(std::get<2>(key)), sends_(sends), synchronous_(synchronous) {}
  ~Request() override {
    if (!active_) return;
    if (!done_ && message_) (sends_ ? message_->send : message_->receive) = nullptr;
    count_abandoned();
  }
  void start() override { cards_.start(*this); }
  bool test() override { return cards_.test(*this); }

 private:
  friend class Cards;
  int mine() const { return sends_ ? from_ : to_; }

  Cards& cards_;
  std::deque<Held>& queue_;
  std::span<const std::byte> out_;
  std::span<std::byte> in_;
  int from_, to_;
  bool sends_, synchronous_, active_ = false, done_ = false;
  Held message_;
};

Cards& Cards::all() {
  static Cards* one = nullptr;  // never destroyed: the simulator's objects are destroyed before
  if (one == nullptr) {
    one = new Cards;
    sg_actor_daemonize(sg_actor_create("network", sg_host_self(), run, 0, nullptr));  // it runs at once
  }
  return *one;
}

Cards::Cards() : network_(*network()) {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  ranks_.resize(static_cast<std::size_t>(size));
  cards_.resize(ranks_.size() / network_.ranks_of_a_node + 1);
}

// Handles the events that are due, then sleeps until the next one or until an earlier one is posted.
void Cards::run(int, char**) {
  constexpr double rounding = 2e-9;  // SimGrid sleeps for no shorter time
  auto& self = all();
  for (;;) {
    while (!self.events_.empty() && self.events_.top().time <= simgrid_get_clock() + rounding) {
      const auto event = self.events_.top();
      self.events_.pop();
      self.happen(event);
    }
    const double now = simgrid_get_clock();
    self.sleeps_until_ = self.events_.empty() ? std::numeric_limits<double>::infinity() : self.events_.top().time;
    if (self.events_.empty())
      sg_sem_acquire(self.wake_);
    else
      sg_sem_acquire_timeout(self.wake_, self.sleeps_until_ - now);
    self.sleeps_until_ = -1;
  }
}

Cards::Rank& Cards::rank(int r) { return ranks_[static_cast<std::size_t>(r)]; }

bool Cards::near(const Message& m) const {
  const auto n = network_.ranks_of_a_node;
  return static_cast<std::size_t>(m.from) / n == static_cast<std::size_t>(m.to) / n;
}
double Cards::latency(const Message& m) const { return near(m) ? network_.near_latency : network_.latency; }
double Cards::transfer(const Message& m) const {
  return static_cast<double>(m.bytes) / (near(m) ? network_.near_rate : network_.rate);
}

double Cards::now(int r) const { return simgrid_get_clock() + ranks_[static_cast<std::size_t>(r)].ahead; }

void Cards::pass(int r, double seconds) {
  const double all = std::exchange(rank(r).ahead, 0) + seconds;
  if (all > 0) sg_actor_sleep_for(all);
}

void Cards::post(double time, What what, const Held& message) {
  events_.push({time, number_++, what, message});
  if (sleeps_until_ <= time) return;
  sleeps_until_ = -1;
  sg_sem_release(wake_);
}

// Handles the events that came while the rank computed.
void Cards::enter(int r) {
  auto& mine = rank(r);
  if (mine.unnoticed.empty()) return;
  for (const auto& event : std::exchange(mine.unnoticed, {})) {
    if (event.what == What::announce)
      announced(event.message, now(r));
    else
      post(now(r), What::depart, event.message);
  }
}

bool Cards::is_noticed(int r, const Event& event) {
  auto& theirs = rank(r);
  if (!network_.progress_in_calls || theirs.in_call) return true;
  theirs.unnoticed.push_back(event);
  return false;
}

void Cards::announced(const Held& message, double time) {
  message->is_announced = true;
  if (message->receive == nullptr || message->is_granted) return;
  message->is_granted = true;
  post(time + latency(*message), What::grant, message);
}

void Cards::depart(const Held& message, double time) {
  const auto& m = *message;
  if (!near(m)) {
    time = std::max(time, card(m.from).out);
    card(m.from).out = time + transfer(m);
  }
  if (m.meets) post(time + transfer(m), What::left, message);
  post(time + latency(m), What::arrive, message);
}

void Cards::finish(Request*& request) {
  if (request == nullptr) return;
  auto& owner = rank(request->mine());
  request->done_ = true;
  request = nullptr;
  owner.news = true;
  if (!std::exchange(owner.asleep, false)) return;
  sg_sem_release(owner.wake);
}

void Cards::deliver(Message& m, std::span<const std::byte> data) {
  if (m.receive->in_.size() < data.size())
    throw Error("A message of " + std::to_string(data.size()) + " bytes meets a receive of " +
                std::to_string(m.receive->in_.size()) + ". Receive at least as many bytes as are sent.");
  std::copy(data.begin(), data.end(), m.receive->in_.begin());
}

void Cards::happen(const Event& event) {
  auto& m = *event.message;
  switch (event.what) {
    case What::depart: return depart(event.message, event.time);
    case What::announce:
      if (is_noticed(m.to, event)) announced(event.message, event.time);
      return;
    case What::grant:
      if (is_noticed(m.from, event)) depart(event.message, event.time);
      return;
    case What::left:  // its receive was started, since it was granted
      if (m.send == nullptr || m.receive == nullptr) return;
      deliver(m, m.send->out_);
      return finish(m.send);
    case What::arrive: {
      double ends = event.time + transfer(m);
      if (!near(m)) card(m.to).in = ends = std::max(ends, card(m.to).in + transfer(m));
      return post(ends, What::done, event.message);
    }
    case What::done:
      m.is_there = true;
      if (m.receive != nullptr && !m.meets) deliver(m, m.kept);
      return finish(m.receive);
  }
}

void Cards::start(Request& request) {
  const int r = request.mine();
  auto& mine = rank(r);
  enter(r);
  request.active_ = true;
  request.done_ = false;
  ++mine.active;
  auto& queue = request.queue_;
  const bool met = !queue.empty() && !(request.sends_ ? queue.front()->is_sent : queue.front()->is_received);
  const Held message = met ? queue.front() : queue.emplace_back(std::make_shared<Message>());
  if (met) queue.pop_front();
  request.message_ = message;
  auto& m = *message;
  if (!request.sends_) {
    m.is_received = true;
    m.receive = &request;
    if (m.is_there) {
      deliver(m, m.kept);
      return finish(m.receive);
    }
    if (m.is_announced) announced(message, now(r));
    return;
  }
  mine.ahead += network_.call;
  m.is_sent = true;
  m.from = r;
  m.to = request.to_;
  m.bytes = request.out_.size();
  m.send = &request;
  m.meets = request.synchronous_ || m.bytes > network_.eager;
  if (m.meets) return post(now(r) + latency(m), What::announce, message);
  m.kept.assign(request.out_.begin(), request.out_.end());
  post(now(r), What::depart, message);
  finish(m.send);
}

bool Cards::test(Request& request) {
  if (!request.active_) return true;
  auto& mine = rank(request.mine());
  mine.ahead += network_.test;
  enter(request.mine());
  if (!request.done_) {
    mine.in_call = true;
    pass(request.mine(), 0);
    mine.in_call = false;
    if (!request.done_) return false;
  }
  if (!request.sends_) mine.ahead += network_.call;
  request.active_ = false;
  request.message_.reset();
  --mine.active;
  return true;
}

std::optional<Arrival> Cards::probe(int r, int context, int tag) {
  auto& mine = rank(r);
  mine.ahead += network_.test;
  mine.has_probed = true;
  enter(r);
  mine.in_call = true;
  pass(r, 0);
  mine.in_call = false;
  for (auto at = unmatched_.lower_bound({context, tag, r, 0});
       at != unmatched_.end() &&
       std::tie(std::get<0>(at->first), std::get<1>(at->first), std::get<2>(at->first)) == std::tie(context, tag, r);
       ++at) {
    if (at->second.empty() || !at->second.front()->is_sent) continue;
    const auto& m = *at->second.front();
    if (m.is_there || m.is_announced) return Arrival{m.from, m.bytes};
  }
  return std::nullopt;
}

void Cards::idle(int r) {
  auto& mine = rank(r);
  mine.in_call = true;
  enter(r);
  const bool polls = std::exchange(mine.has_probed, false);
  pass(r, mine.active == 0 || polls ? 1e-6 : 0);
  if (mine.active > 0 && !mine.news && !polls) {
    mine.asleep = true;
    sg_sem_acquire(mine.wake);
  }
  mine.news = false;
  mine.in_call = false;
}

void Cards::looked_at_memory(int r) { rank(r).has_probed = true; }

std::unique_ptr<Operation> Cards::send(std::span<const std::byte> data, int from, int to, int context, int tag,
                                       bool synchronous) {
  return std::make_unique<Request>(*this, data, std::span<std::byte>(), true, Key(context, tag, to, from), synchronous);
}

std::unique_ptr<Operation> Cards::receive(std::span<std::byte> data, int from, int to, int context, int tag) {
  return std::make_unique<Request>(*this, std::span<const std::byte>(), data, false, Key(context, tag, to, from),
                                   false);
}

}  // namespace weft::simulated
