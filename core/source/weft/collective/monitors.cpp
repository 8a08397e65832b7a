// SPDX-License-Identifier: BSD-3-Clause
#include "weft/collective/monitors.hpp"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <utility>

#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft {
namespace {

// The name of a type as in the source; any other text as it is.
std::string readable(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         std::free);
  return status == 0 ? text.get() : name;
}

}  // namespace

class Monitors::Client final : public weft::Client {
 public:
  explicit Client(Monitors& owner) : owner_(owner) {}
  // The blocking way.
  Client(Monitors& owner, const Transport& transport)
      : owner_(owner), transport_(transport.duplicate()), operation_(buffered(*transport_, owner.all_reduce())) {}
  ~Client() override {
    if (!operation_ || operation_->abandon()) return;
    leak_until_exit(std::move(operation_));
    leak_until_exit(std::move(transport_));
  }

  void request(Requests& requests) override {
    if (!operation_) requests.collective(owner_.all_reduce());
  }
  void before(Step& step) override {
    if (step.round() != 0) return;
    owner_.load(step.number());
    if (!operation_) return;
    step.complete(*operation_);
    owner_.use();
  }
  void after(Step& step) override {
    if (step.round() == 0 && !operation_) owner_.use();
  }

 private:
  Monitors& owner_;
  std::shared_ptr<Transport> transport_;  // of the blocking way, which a failure leaves in the middle of a collective
  std::shared_ptr<Operation> operation_;
};

Monitors::Monitors(Transport& transport) : transport_(transport) {}
Monitors::~Monitors() = default;

// The sum of one rank and the maximum of another would be combined without an error.
void Monitors::compare(Transport& transport) const {
  std::string mine;
  for (const auto& entry : entries_) mine += entry.what + '\n';
  const auto of_root = broadcast(transport, mine);
  together(transport, [&] {
    if (mine == of_root) return;
    std::istringstream lines(of_root);
    std::string theirs;
    std::size_t k = 0;
    while (std::getline(lines, theirs) && k < entries_.size() && theirs == entries_[k].what) ++k;
    throw Error("Monitor " + std::to_string(k) + " is " +
                (k < entries_.size() ? readable(entries_[k].what) : "missing") + " on rank " +
                std::to_string(transport.rank()) + ", but " + (lines ? readable(theirs) : "missing") +
                " on rank 0. Add the same monitors in the same order on all ranks.");
  });
}

void Monitors::prepare(Transport& transport) {
  if (composite_) return;
  compare(transport);
  if (entries_.empty()) return;
  std::vector<Composite::Value> values;
  for (const auto& entry : entries_) values.push_back(entry.value);
  auto composite = std::make_unique<Composite>(transport, values);
  in_.resize(composite->bytes());
  out_.resize(composite->bytes());
  composite->begin(in_.data());
  composite_ = std::move(composite);
}

Collective Monitors::all_reduce() {
  return {.kind = Collective::Kind::all_reduce, .in = in_, .out = out_, .reduction = composite_->reduction()};
}

weft::Client& Monitors::client() {
  if (!client_) {
    prepare(transport_);
    client_ = std::make_unique<Client>(*this);
  }
  return *client_;
}

void Monitors::start(StepManager& manager, const std::string& name, const Options& options) {
  if (client_ || rounds_) throw Error("The monitors are started twice. Call stop() first.", true);
  std::unique_ptr<Client> client;
  manager.set_up([&](Transport& transport) {
    prepare(transport);
    if (entries_.empty()) return;
    client =
        options.way == Way::blocking ? std::make_unique<Client>(*this, transport) : std::make_unique<Client>(*this);
  });
  if (entries_.empty()) return;
  options_ = options;
  if (options.way == Way::nonblocking || options.way == Way::blocking) {
    manager.add(name, *client, {.every = options.every, .offset = options.offset});
    client_ = std::move(client);
    return;
  }
  auto rounds =
      std::make_unique<Rounds>(transport_, all_reduce(), options.algorithm, ScheduleOptions{.arity = options.arity});
  rounds->add_to(manager, name,
                 {.pace = options.way == Way::phased ? Pace::phased : Pace::in_step,
                  .every = options.every,
                  .offset = options.offset,
                  .load = [this, &manager] { load(manager.step()); },
                  .use = [this] { use(); }});
  rounds_ = std::move(rounds);
}

void Monitors::stop(StepManager& manager) {
  if (client_) manager.remove(*client_);
  if (rounds_) rounds_->remove_from(manager);
  client_.reset();
  rounds_.reset();
}

bool Monitors::idle_before(std::int64_t step) const {
  if (!rounds_ || options_.way != Way::phased) return true;
  const std::int64_t phases = std::max(1, rounds_->rounds()), every = std::max(options_.every, phases);  // as in Rounds
  const auto phase = (step - options_.offset % every + every) % every;
  return phase == 0 || phase >= phases;
}

void Monitors::load(std::int64_t step) {
  step_ = step;
  for (std::size_t k = 0; k < entries_.size(); ++k) entries_[k].local(in_.data() + composite_->offset(k));
}

void Monitors::use() {
  for (std::size_t k = 0; k < entries_.size(); ++k) entries_[k].use(out_.data() + composite_->offset(k), step_);
}

void Monitors::read_now(std::int64_t step) {
  prepare(transport_);
  if (entries_.empty()) return;
  load(step);
  complete(*transport_.collective(all_reduce()));
  use();
}

const char* name_of(Monitors::Way way) { return monitor_way_names.of(way); }

Monitors::Way monitors_way(const std::string& name) { return monitor_way_names.named(name); }

}  // namespace weft
