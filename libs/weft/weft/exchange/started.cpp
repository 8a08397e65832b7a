// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/started.hpp"

#include <exception>
#include <string>
#include <utility>

#include "weft/error.hpp"
#include "weft/exchange/exchange.hpp"

namespace weft {

StartedExchange::StartedExchange(Exchange& exchange) : exchange_(&exchange), exceptions_(std::uncaught_exceptions()) {
  exchange.started_ = this;
}

void StartedExchange::take(StartedExchange& other) noexcept {
  exchange_ = std::exchange(other.exchange_, nullptr);
  exceptions_ = other.exceptions_;
  if (exchange_ != nullptr) exchange_->started_ = this;
}

StartedExchange& StartedExchange::operator=(StartedExchange&& other) noexcept {
  if (this == &other) return *this;
  go();
  take(other);
  return *this;
}

void StartedExchange::go() noexcept {
  if (exchange_ == nullptr) return;
  auto& exchange = *std::exchange(exchange_, nullptr);
  exchange.started_ = nullptr;
  if (std::uncaught_exceptions() <= exceptions_ && exchange.can_be_waited_for()) try {
      return exchange.wait_for_all();
    } catch (...) {  // a peer or the transport failed; a destructor can't tell
    }
  exchange.let_go();
}

Exchange& StartedExchange::running(const char* call) const {
  if (exchange_ == nullptr) throw Error(std::string(call) + "() comes after the start was waited for.");
  return *exchange_;
}

void StartedExchange::ready(SendPart part) { running("ready").ready(part); }
void StartedExchange::ready(CollectivePart part) { running("ready").ready(part); }
void StartedExchange::ready_all(std::uint32_t client, int round) { running("ready_all").ready_all(client, round); }
void StartedExchange::accept(ReceivePart part) { running("accept").accept(part); }
void StartedExchange::accept_all(std::uint32_t client, int round) { running("accept_all").accept_all(client, round); }

void StartedExchange::progress() {
  if (exchange_ != nullptr) exchange_->progress();
}

bool StartedExchange::arrived(ReceivePart part) const { return exchange_ == nullptr || exchange_->arrived(part); }

bool StartedExchange::test() { return exchange_ == nullptr || exchange_->test(); }

void StartedExchange::wait(int round) {
  auto& exchange = running("wait");
  exchange.wait(round);
  if (exchange.active_) return;
  exchange.started_ = nullptr;
  exchange_ = nullptr;
}

void StartedExchange::wait() {
  running("wait");
  while (exchange_ != nullptr) wait(exchange_->waited_rounds_);
}

}  // namespace weft
