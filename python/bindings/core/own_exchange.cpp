// SPDX-License-Identifier: BSD-3-Clause
#include "core/own_exchange.hpp"

#include <utility>

#include "core/raised.hpp"
#include "core/world.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"

namespace weft::python {

OwnExchange::~OwnExchange() {
  if (is_forked()) {
    new StartedExchange(std::move(handle_));  // never destroyed: MPI belongs to the parent
  } else if (!handle_.is_over()) {
    const nb::gil_scoped_release released;
    handle_ = {};
  }
  if (core_) core_->started = nullptr;
}

void OwnExchange::commit(std::shared_ptr<ExchangeCore> core) {
  {
    const InUse::Call call(core->use);
    const nb::gil_scoped_release released;
    core->get().commit();
  }
  rounds_ = core->get().plan().rounds;
  core->started = &handle_;
  core_ = std::move(core);
}

void OwnExchange::start(std::uint64_t buffer_index, nb::object stream) {
  const InUse::Call call(core_->use);
  static_cast<void>(core_->get());  // throws if it was closed
  const auto queue = core_->queue_of(stream, true);
  {
    const nb::gil_scoped_release released;
    start_without_gil(buffer_index, queue);
  }
  stream_ = std::move(stream);
}

void OwnExchange::progress() {
  if (!core_) return;
  const InUse::Call call(core_->use);
  core_->check_alive();
  const nb::gil_scoped_release released;
  handle_.progress();
}

bool OwnExchange::test() {
  if (!core_) return true;
  const InUse::Call call(core_->use);
  core_->check_alive();
  const nb::gil_scoped_release released;
  return handle_.is_over() || (rounds_ == 1 && handle_.test());
}

void OwnExchange::finish(nb::handle stream) {
  const auto too_early = [&] { return Error(std::string(what_) + " is finished before start(). Call start() first."); };
  if (!core_) throw too_early();
  const InUse::Call call(core_->use);
  static_cast<void>(core_->get());
  core_->check_alive();
  if (handle_.is_over()) throw too_early();
  const auto queue = core_->queue_of(stream, false);
  const nb::gil_scoped_release released;
  finish_without_gil(queue);
}

double OwnExchange::repeat(std::size_t count) {
  const InUse::Call call(core_->use);
  static_cast<void>(core_->get());
  const nb::gil_scoped_release released;
  const auto from = now_seconds();
  for (std::size_t k = 0; k < count; ++k) {
    start_without_gil(0, {});
    finish_without_gil({});
  }
  return now_seconds() - from;
}

void OwnExchange::fail(const std::string& why) {
  if (!core_) return;
  const InUse::Call call(core_->use);
  if (handle_.is_over()) return core_->fail(why);
  const nb::gil_scoped_release released;
  handle_.fail(why);
}

void OwnExchange::close() {
  if (!core_) return;
  const InUse::Call call(core_->use);
  core_->close();
}

void OwnExchange::enter() const {
  if (!is_active())
    throw Error(std::string(what_) + " is entered without a start, so nothing would be sent. Write `with " + name_ +
                ".start():`.");
}

void OwnExchange::exit(nb::handle error) {
  if (!error.is_none() && is_active()) fail(text_of(error));
  if (error.is_none() && !handle_.is_over()) finish(stream_);
}

void OwnExchange::start_without_gil(std::uint64_t buffer_index, const device::Queue& queue) {
  auto& exchange = core_->get();
  if (!handle_.is_over() && !exchange.has_failed()) {  // an exception came between start() and finish()
    exchange.fail("start() was called again before finish()");
    throw Error(std::string(what_) + " is started again before finish(). Make a new one after an error.");
  }
  handle_ = exchange.start(queue, buffer_index);
  handle_.ready_all(0, 0);
}

void OwnExchange::finish_without_gil(const device::Queue& queue) {
  for (int round = 0; round < rounds_; ++round) {
    handle_.accept_all(0, round);
    handle_.wait(round, queue);
    if (round + 1 < rounds_) handle_.ready_all(0, round + 1);
  }
}

}  // namespace weft::python
