// SPDX-License-Identifier: BSD-3-Clause
#include "weft/collective/rounds.hpp"

#include <algorithm>
#include <utility>

#include "weft/error.hpp"

namespace weft {

using Kind = Collective::Kind;

const char* name_of(Pace pace) { return pace == Pace::in_step ? "in_step" : "phased"; }

class Rounds::InStep final : public Client {
 public:
  explicit InStep(Rounds& owner) : owner_(owner) {}

  void request(Requests& requests) override {
    for (std::size_t r = 0; r < owner_.blocks_.rounds(); ++r) {
      owner_.request(requests, r, static_cast<int>(r));
      requests.continuation(static_cast<int>(r), [this, r] {
        if (loaded_)
          owner_.blocks_.finish(r);  // StepManager::measure_alone repeats only the messages: nothing must be combined
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
    if (round_ < owner_.blocks_.rounds()) owner_.request(requests, round_, 0);
  }
  void before(Step& step) override {
    if (step.round() != 0 || round_ != 0) return;
    owner_.load();
    owner_.next_round_ = 0;
  }
  // The rounds before may not have run, if the client was added or the step's number was set between two starts.
  void after(Step& step) override {
    if (step.round() != 0 || owner_.next_round_ != round_) return;
    owner_.next_round_ = round_ + 1;
    if (round_ < owner_.blocks_.rounds()) owner_.blocks_.finish(round_);
    if (round_ + 1 >= owner_.blocks_.rounds()) owner_.store();
  }

 private:
  Rounds& owner_;
  std::size_t round_;
};

Rounds::Rounds(const Transport& transport, const Collective& what, Algorithm algorithm, const ScheduleOptions& options)
    : blocks_(transport.rank(), transport.size(), what, algorithm, options) {}

Rounds::Rounds(const Transport& transport, const Collective& what)
    : Rounds(transport, what, algorithms_of(what.kind).empty() ? Algorithm::ring : algorithms_of(what.kind).front()) {}

Rounds::~Rounds() = default;

void Rounds::add_to(StepManager& manager, const std::string& name, const Options& options) {
  if (!clients_.empty()) throw Error("The rounds are added twice. Remove them first.", true);
  options_ = options;
  next_round_ = no_round;
  const std::int64_t phases = std::max(1, rounds());
  clients_.reserve(static_cast<std::size_t>(phases));
  const auto add = [&](std::unique_ptr<Client> client, const std::string& of_client, std::int64_t every,
                       std::int64_t offset) {
    manager.add(of_client, *client, {.every = every, .offset = offset});
    clients_.push_back(std::move(client));
  };
  if (options.pace == Pace::in_step) return add(std::make_unique<InStep>(*this), name, options.every, options.offset);
  const auto every = std::max(options.every, phases);
  try {
    for (std::int64_t phase = 0; phase < phases; ++phase)
      add(std::make_unique<Phase>(*this, static_cast<std::size_t>(phase)), name + " phase " + std::to_string(phase),
          every, (options.offset + phase) % every);
  } catch (...) {
    remove_from(manager);
    throw;
  }
}

void Rounds::remove_from(StepManager& manager) {
  for (; !clients_.empty(); clients_.pop_back()) manager.remove(*clients_.back());
}

void Rounds::request(Requests& requests, std::size_t round, int exchange_round) {
  const auto& moves = schedule().rounds[round];
  for (const auto& send : moves.sends)
    requests.send(send.peer, round, make_indexed(blocks_.slots(), blocks_.block_bytes(), send.slots, false),
                  exchange_round);
  for (std::size_t k = 0; k < moves.receives.size(); ++k) {
    auto& to = blocks_.arrived(round, k);
    requests.receive(moves.receives[k].peer, round, make_contiguous(to.data(), to.size(), true), exchange_round);
  }
}

void Rounds::load() {
  if (options_.load) options_.load();
  blocks_.load();
}

void Rounds::store() {
  blocks_.store();
  if (options_.use) options_.use();
}

}  // namespace weft
