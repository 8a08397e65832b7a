// SPDX-License-Identifier: BSD-3-Clause
#include "weft/halo/halo_exchange.hpp"

#include <utility>

#include "weft/error.hpp"
#include "weft/halo/reference.hpp"

namespace weft {

HaloExchange::HaloExchange(Transport& transport, const Halo& halo, ExchangeOptions options) : halo_(halo) {
  if (transport.size() != halo.grid().ranks())
    throw Error("a grid of " + std::to_string(halo.grid().ranks()) + " ranks is exchanged by " +
                    std::to_string(transport.size()) + ". make the grid for the same ranks.",
                true);
  if (halo.options().scheme == HaloOptions::Scheme::reference) {
    transport_ = transport.duplicate();
    return;
  }
  exchange_.emplace(transport, std::move(options));
  halo_.request(exchange_->client("halo"));
  exchange_->commit();
}

void HaloExchange::start(std::uint64_t turn) {
  if (!exchange_) return;
  step_ = exchange_->start(turn);
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

std::string HaloExchange::describe() const {
  return halo_.describe() + (exchange_ ? exchange_->describe() : std::string());
}

}  // namespace weft
