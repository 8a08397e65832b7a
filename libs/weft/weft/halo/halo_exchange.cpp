// SPDX-License-Identifier: BSD-3-Clause
#include "weft/halo/halo_exchange.hpp"

#include <utility>

#include "weft/error.hpp"
#include "weft/halo/reference.hpp"
#include "weft/step/step_manager.hpp"

namespace weft {

HaloExchange::HaloExchange(Transport& transport, const Halo& halo, ExchangeOptions options) : halo_(halo) {
  if (transport.size() != halo.grid().ranks())
    throw Error("A grid of " + std::to_string(halo.grid().ranks()) + " ranks is exchanged by " +
                    std::to_string(transport.size()) + " ranks. Make the grid for the same ranks.",
                true);
  if (halo.options().scheme == HaloOptions::Scheme::reference) {
    transport_ = transport.duplicate();
    return;
  }
  exchange_.emplace(transport, std::move(options));
  parts_ = halo_.request(exchange_->client("halo"));
  exchange_->commit();
}

void HaloExchange::start(std::uint64_t buffer_index) {
  if (!exchange_) return;
  if (!step_.is_over() && !exchange_->has_failed()) {  // an exception came between start() and finish()
    exchange_->fail("start() was called again before finish()");
    throw Error("A halo exchange is started again before finish(). Make a new one after an error.");
  }
  step_ = exchange_->start(buffer_index);
  step_.ready_all(0, 0);
}

void HaloExchange::finish() {
  if (!exchange_) return fill_by_reference(*transport_, halo_);
  const int rounds = exchange_->plan().rounds;
  for (int round = 0; round < rounds; ++round) {
    step_.accept_all(0, round);
    step_.wait(round);
    if (round + 1 < rounds) step_.ready_all(0, round + 1);
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
