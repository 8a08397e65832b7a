// SPDX-License-Identifier: BSD-3-Clause
#include "weft/collective/rounds.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "weft/error.hpp"

namespace weft {

using Kind = Collective::Kind;
using Then = CollectiveSchedule::Receive::Then;

const char* name_of(Pace pace) { return pace == Pace::in_step ? "in_step" : "phased"; }

class Rounds::InStep final : public Client {
 public:
  explicit InStep(Rounds& owner) : owner_(owner) {}

  void request(Requests& requests) override {
    for (std::size_t r = 0; r < owner_.schedule_.rounds.size(); ++r) {
      owner_.request(requests, r, static_cast<int>(r));
      requests.relay(static_cast<int>(r), [this, r] {
        if (loaded_) owner_.finish(r);  // StepManager::measure_alone repeats the messages alone: nothing is to be added up
      });
    }
  }
  void before(Step& step) override {
    if (step.round() != 0) return;
    owner_.load();
    loaded_ = true;
  }
  void finish(Step&) override {
    owner_.store();
    loaded_ = false;
  }

 private:
  Rounds& owner_;
  bool loaded_ = false;
};

class Rounds::Phase final : public Client {
 public:
  Phase(Rounds& owner, std::size_t round) : owner_(owner), round_(round) {}

  void request(Requests& requests) override {
    if (round_ < owner_.schedule_.rounds.size()) owner_.request(requests, round_, 0);
  }
  void before(Step& step) override {
    if (step.round() == 0 && round_ == 0) owner_.load();
  }
  void after(Step& step) override {
    if (step.round() != 0) return;
    if (round_ < owner_.schedule_.rounds.size()) owner_.finish(round_);
    if (round_ + 1 >= owner_.schedule_.rounds.size()) owner_.store();
  }

 private:
  Rounds& owner_;
  std::size_t round_;
};

Rounds::Rounds(const Transport& transport, const Collective& what, Algorithm algorithm, const ScheduleOptions& options)
    : what_(what) {
  const auto ranks = static_cast<std::size_t>(transport.size());
  auto with_root = options;
  with_root.root = what.root;
  schedule_ = make_schedule(what.kind, algorithm, transport.rank(), transport.size(), with_root);
  if (!what.in_bytes.empty() || !what.out_bytes.empty())
    throw Error(std::string("rounds of a ") + name_of(what.kind) + " with counts are asked for. give blocks of one size.", true);
  const bool has_in = !schedule_.in.empty(), has_out = !schedule_.out.empty();
  if (what.kind == Kind::barrier) {
    block_bytes_ = 1;  // an empty part would not be sent
  } else if (what.kind == Kind::broadcast) {
    block_bytes_ = what.out.size();
  } else {
    block_bytes_ = what.in.size() / schedule_.in.size();
  }
  const bool is_broadcast = what.kind == Kind::broadcast;
  if ((has_in && !is_broadcast && what.in.size() != schedule_.in.size() * block_bytes_) ||
      (has_out && what.out.size() != schedule_.out.size() * block_bytes_))
    throw Error(std::string("a ") + name_of(what.kind) + " of " + std::to_string(ranks) + " ranks is given " + std::to_string(what.in.size()) +
                    " bytes of input and " + std::to_string(what.out.size()) + " of result, which don't fit. give blocks of one size.", true);
  const bool reduces = what.kind == Kind::reduce || what.kind == Kind::all_reduce;
  if (reduces && (what.reduction.combine == nullptr || block_bytes_ % what.reduction.element_bytes != 0))
    throw Error(std::string("a ") + name_of(what.kind) + " has no reduction that fits its bytes. give one of the elements' type.", true);
  if (reduces && algorithm == Algorithm::tree && !what.reduction.commutative)
    throw Error("a tree combines values in another order than the ranks'. use recursive_doubling or binomial, or a reduction that is commutative.", true);
  slots_.resize(schedule_.slots * block_bytes_);
  for (const auto& round : schedule_.rounds) {
    first_arrived_.push_back(arrived_.size());
    for (const auto& receive : round.receives) arrived_.emplace_back(receive.slots.size() * block_bytes_);
  }
}

Rounds::Rounds(const Transport& transport, const Collective& what)
    : Rounds(transport, what, algorithms_of(what.kind).empty() ? Algorithm::ring : algorithms_of(what.kind).front()) {}

Rounds::~Rounds() = default;

void Rounds::add_to(StepManager& manager, const std::string& name, const Options& options) {
  if (!clients_.empty()) throw Error("rounds are added twice. remove them first.", true);
  options_ = options;
  const std::int64_t phases = std::max(1, rounds());
  if (options.pace == Pace::in_step) {
    clients_.push_back(std::make_unique<InStep>(*this));
    manager.add(name, *clients_.back(), {.every = options.every, .offset = options.offset});
    return;
  }
  const auto every = std::max(options.every, phases);
  for (std::int64_t phase = 0; phase < phases; ++phase) {
    clients_.push_back(std::make_unique<Phase>(*this, static_cast<std::size_t>(phase)));
    manager.add(name + " phase " + std::to_string(phase), *clients_.back(), {.every = every, .offset = (options.offset + phase) % every});
  }
}

void Rounds::remove_from(StepManager& manager) {
  for (const auto& client : clients_) manager.remove(*client);
  clients_.clear();
}

void Rounds::request(Requests& requests, std::size_t round, int exchange_round) {
  const auto& moves = schedule_.rounds[round];
  for (const auto& send : moves.sends)
    requests.send(send.peer, round, make_indexed(slots_.data(), block_bytes_, send.slots, false), exchange_round);
  for (std::size_t k = 0; k < moves.receives.size(); ++k) {
    auto& to = arrived_[first_arrived_[round] + k];
    requests.receive(moves.receives[k].peer, round, make_contiguous(to.data(), to.size(), true), exchange_round);
  }
}

void Rounds::load() {
  if (options_.load) options_.load();
  const auto* from = what_.kind == Kind::broadcast ? what_.out.data() : what_.in.data();
  if (what_.kind == Kind::barrier) return;
  for (std::size_t b = 0; b < schedule_.in.size(); ++b)
    std::memcpy(slots_.data() + schedule_.in[b] * block_bytes_, from + b * block_bytes_, block_bytes_);
}

void Rounds::finish(std::size_t round) {
  const auto& receives = schedule_.rounds[round].receives;
  for (std::size_t k = 0; k < receives.size(); ++k) {
    const auto& receive = receives[k];
    auto& arrived = arrived_[first_arrived_[round] + k];
    for (std::size_t b = 0; b < receive.slots.size(); ++b) {
      auto* slot = slots_.data() + receive.slots[b] * block_bytes_;
      auto* block = arrived.data() + b * block_bytes_;
      const auto count = block_bytes_ / what_.reduction.element_bytes;
      if (receive.then == Then::combine_left) {
        what_.reduction.combine(block, slot, count);
        continue;
      }
      if (receive.then == Then::combine_right) what_.reduction.combine(slot, block, count);
      std::memcpy(slot, block, block_bytes_);
    }
  }
}

void Rounds::store() {
  if (what_.kind != Kind::barrier)
    for (std::size_t b = 0; b < schedule_.out.size(); ++b)
      std::memcpy(what_.out.data() + b * block_bytes_, slots_.data() + schedule_.out[b] * block_bytes_, block_bytes_);
  if (options_.use) options_.use();
}

}  // namespace weft
