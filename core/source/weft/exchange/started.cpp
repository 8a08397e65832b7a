// SPDX-License-Identifier: BSD-3-Clause
#include "weft/exchange/started.hpp"

#include <exception>
#include <string>
#include <utility>

#include "weft/error.hpp"
#include "weft/exchange/inside/run.hpp"

namespace weft {

StartedExchange::StartedExchange(inside::Run& run)
    : run_(&run), exceptions_(std::uncaught_exceptions()), in_handler_(std::current_exception() != nullptr) {
  run.started = this;
}

void StartedExchange::take(StartedExchange& other) noexcept {
  run_ = std::exchange(other.run_, nullptr);
  exceptions_ = other.exceptions_;
  in_handler_ = other.in_handler_;
  if (run_ != nullptr) run_->started = this;
}

StartedExchange& StartedExchange::operator=(StartedExchange&& other) noexcept {
  if (this == &other) return *this;
  go();
  take(other);
  return *this;
}

void StartedExchange::go() noexcept {
  if (run_ == nullptr) return;
  auto& run = *std::exchange(run_, nullptr);
  run.started = nullptr;
  // In the handler of an exception, too: other ranks may wait for something else that this rank has left.
  const bool unwinds =
      std::uncaught_exceptions() > exceptions_ || (!in_handler_ && std::current_exception() != nullptr);
  if (!unwinds && run.can_be_waited_for()) try {
      return run.wait_for_all();
    } catch (...) {  // the exchange has failed; a destructor can't report it
    }
  run.fail(unwinds ? "an exception interrupted a start" : "a start was not waited for");
}

void StartedExchange::fail(const std::string& why) noexcept {
  if (run_ == nullptr) return;
  auto& run = *std::exchange(run_, nullptr);
  run.started = nullptr;
  run.fail(why);
}

std::shared_ptr<Failure> StartedExchange::failure() const { return run_ != nullptr ? run_->failure() : nullptr; }

inside::Run& StartedExchange::running(const char* call) const {
  if (run_ == nullptr)
    throw Error(std::string("The start was waited for already. Call start() before ") + call + "().");
  run_->check_alive();
  return *run_;
}

void StartedExchange::ready(SendPart part) { running("ready").ready(part); }
void StartedExchange::ready(SendPart part, const device::Queue& queue) { running("ready").ready(part, queue); }
void StartedExchange::ready(SendPart part, std::size_t bytes) { running("ready").ready(part, bytes); }
void StartedExchange::ready(SendPart part, Region region) { running("ready").ready(part, std::move(region)); }
void StartedExchange::ready(SendPart part, Region region, const device::Queue& queue) {
  running("ready").ready(part, std::move(region), queue);
}
void StartedExchange::ready(CollectivePart part) { running("ready").ready(part); }
void StartedExchange::ready_all(std::uint32_t client, int round) { running("ready_all").ready_all(client, round); }
void StartedExchange::accept(ReceivePart part) { running("accept").accept(part); }
void StartedExchange::accept(ReceivePart part, const device::Queue& queue) { running("accept").accept(part, queue); }
void StartedExchange::accept_all(std::uint32_t client, int round) { running("accept_all").accept_all(client, round); }

void StartedExchange::progress() {
  if (run_ != nullptr) run_->progress();
}

bool StartedExchange::arrived(ReceivePart part) const { return run_ == nullptr || run_->arrived(part); }

bool StartedExchange::test() { return run_ == nullptr || run_->test(); }

void StartedExchange::check_ready() const {
  if (run_ != nullptr) run_->check_ready();
}

void StartedExchange::watch() {
  if (run_ != nullptr) run_->watch();
}

void StartedExchange::complete(Operation& operation) { running("complete").complete(operation); }

void StartedExchange::wait_also(std::unique_ptr<Operation> operation) {
  if (operation == nullptr) throw Error("wait_also() has no operation. Give one, such as mpi::foreign(request).");
  running("wait_also").wait_also(std::move(operation));
}

void StartedExchange::wait(int round) {
  running("wait").wait(round);
  end_if_over();
}

void StartedExchange::wait(int round, const device::Queue& queue) {
  running("wait").wait(round, queue);
  end_if_over();
}

void StartedExchange::end_if_over() {
  if (run_->is_active()) return;
  run_->started = nullptr;
  run_ = nullptr;
}

void StartedExchange::wait(const device::Queue& queue) {
  running("wait");
  while (run_ != nullptr) wait(run_->next_round(), queue);
}

void StartedExchange::wait() {
  running("wait");
  while (run_ != nullptr) wait(run_->next_round());
}

}  // namespace weft
