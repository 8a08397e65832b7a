// SPDX-License-Identifier: BSD-3-Clause
#include "weft/halo/halo_exchange.hpp"

#include <utility>

#include "weft/error.hpp"
#include "weft/halo/reference.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/transport/failure.hpp"

namespace weft {

struct HaloExchange::Reference {
  explicit Reference(Transport& of)
      : transport(of.duplicate()), failure(std::make_shared<Failure>(transport, "The halo exchange")) {}
  ~Reference() {
    if (is_started && !transport->has_ended()) failure->fail("a start was not finished");
  }
  std::shared_ptr<Transport> transport;
  std::shared_ptr<Failure> failure;
  bool is_started = false;
};

HaloExchange::~HaloExchange() = default;

HaloExchange::HaloExchange(Transport& transport, const Halo& halo, ExchangeOptions options) : halo_(halo) {
  if (transport.size() != halo.grid().ranks())
    throw Error("A grid of " + std::to_string(halo.grid().ranks()) + " ranks is exchanged by " +
                    std::to_string(transport.size()) + " ranks. Make the grid for the same ranks.",
                true);
  if (halo.options().scheme == HaloOptions::Scheme::reference) {
    reference_ = std::make_unique<Reference>(transport);
    return;
  }
  exchange_.emplace(transport, std::move(options));
  parts_ = halo_.request(exchange_->client("halo"));
  exchange_->commit();
}

void HaloExchange::fail(const std::string& why) noexcept {
  reference_ ? reference_->failure->fail(why) : exchange_->fail(why);
}

bool HaloExchange::has_failed() const {
  return reference_ ? reference_->failure->has_failed() : exchange_->has_failed();
}

void HaloExchange::start(std::uint64_t buffer_index) { start(device::Queue(), buffer_index); }

void HaloExchange::start(const device::Queue& queue, std::uint64_t buffer_index) {
  if (reference_) reference_->failure->check();
  if ((reference_ ? reference_->is_started : !step_.is_over()) &&
      !has_failed()) {  // an exception came between start() and finish()
    fail("start() was called again before finish().");
    throw Error("A halo exchange is started again before finish(). Make a new one after an error.");
  }
  if (reference_) {
    reference_->is_started = true;
    return;
  }
  step_ = exchange_->start(queue, buffer_index);
  queue_ = queue;
  step_.ready_all(0, 0);
}

void HaloExchange::finish() { finish(device::Queue()); }

void HaloExchange::finish(const device::Queue& queue) {
  if (reference_)
    return reference_->failure->guard([this] {
      const Failure::Watching watching(*reference_->failure);
      reference_->is_started = false;
      fill_by_reference(*reference_->transport, halo_);
    });
  if (step_.is_over() && !has_failed()) throw Error("A halo is finished before start(). Call start() first.");
  const int rounds = exchange_->plan().rounds;
  for (int round = 0; round < rounds; ++round) {
    step_.accept_all(0, round);
    // What is sent next waits for the queue of start().
    const bool is_last = round + 1 == rounds;
    step_.wait(round, is_last ? queue : queue_);
    if (!is_last) step_.ready_all(0, round + 1);
  }
}

void HaloExchange::move(std::size_t field, std::byte* data) {
  if (!step_.is_over()) throw Error("A field of a halo is moved between start() and finish(). Move it before start().");
  halo_.move(field, data);
  if (!exchange_) return;
  const auto regions = halo_.regions(field);
  for (std::size_t i = 0; i < regions.size(); ++i) exchange_->rebind(parts_[field][i], regions[i]);
}

void HaloClient::move(StepManager& steps, std::size_t field, std::byte* data) {
  halo_.move(field, data);
  const auto regions = halo_.regions(field);
  for (std::size_t i = 0; i < regions.size(); ++i) steps.rebind(*this, parts_[field][i], regions[i]);
}

std::string HaloExchange::describe() const {
  return halo_.describe() + (exchange_ ? exchange_->describe() : std::string());
}

}  // namespace weft
