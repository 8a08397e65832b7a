// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "weft/bytes.hpp"
#include "weft/device/device.hpp"
#include "weft/exchange/requests.hpp"
#include "weft/exchange/started.hpp"

namespace [[gnu::visibility("default")]] weft {

class Exchange;

/// The running step, which the callbacks of its clients get as their argument.
class Step {
 public:
  /// Made by StepManager.
  Step(std::int64_t number, int round, Exchange& all, StartedExchange& exchange, std::uint32_t client, double* drove,
       const device::Queue& queue)
      : all_(all), exchange_(exchange), number_(number), round_(round), client_(client), drove_(drove), queue_(queue) {}

  /// The number of the step, as in StepManager::step().
  std::int64_t number() const { return number_; }
  /// The current round, from 0.
  int round() const { return round_; }
  /// Marks the part ready: weft may send it now, before the callback returns. When `before` returns, weft marks the
  /// client's other parts of the round ready.
  void ready(SendPart part);
  /// The same for a part of up to n bytes: the first `bytes` are sent.
  void ready(SendPart part, std::size_t bytes);
  /// The same for a part that was listed with given(): its data are in `region`.
  void ready(SendPart part, Region region);
  /// The same for a part in memory of a device, if another queue than queue() writes it.
  void ready(SendPart part, const device::Queue& queue);
  /// The same for a part that was listed with given().
  void ready(SendPart part, Region region, const device::Queue& queue);
  /// The same for a collective whose input is complete.
  void ready(CollectivePart part);
  /// Permits unpacking of the received part; does nothing without MessageOptions::defer_unpacking. When `during` of all
  /// clients has returned, weft accepts the other parts of the round.
  void accept(ReceivePart part);
  /// The same for a part in memory of a device, if another queue than queue() reads it.
  void accept(ReceivePart part, const device::Queue& queue);
  /// The queue of StepManager::run_step(): `before` queues the work that writes what is sent, and `after` the work that
  /// reads what was received.
  const device::Queue& queue() const { return queue_; }
  /// In `after` and `finish`: the number of bytes received for a part of up to n bytes.
  std::size_t received_bytes(ReceivePart part) const;
  /// In `after` and `finish`: moves out the data received for a part that has no memory, as Exchange::take_received().
  Bytes take_received(ReceivePart part);
  /// As StartedExchange::complete().
  void complete(Operation& operation) { exchange_.complete(operation); }
  /// Makes MPI progress. Call it now and then in a long `during`. It costs next to nothing if no progress call is due.
  void progress();
  /// As StartedExchange::wait_also().
  void wait_also(std::unique_ptr<Operation> operation);

 private:
  Exchange& all_;
  StartedExchange& exchange_;
  std::int64_t number_;
  int round_;
  std::uint32_t client_;  // the caller's client number in the exchange
  double* drove_;         // seconds in progress(), which StepProfile does not count as computation
  const device::Queue& queue_;
};

/// A module of the program that communicates once per step.
///
/// For each round, the StepManager calls the clients of the step in the order in which they were added: first `before`
/// of all clients; then `during` of all clients, while messages are in flight; and when all messages have arrived,
/// `after` of all clients. A client is called in as many rounds as it requested, at least in the first. After the last
/// round follows finish() of all clients. (If StepOptions::coalesce is false, one client completes its whole step
/// before the next client begins.)
class Client {
 public:
  virtual ~Client() = default;

  /// Lists the parts that this client sends and receives, and its collectives, round by round. Called once when the
  /// client is added, and again after StepManager::changed().
  virtual void request(Requests& requests) = 0;
  /// Compute the data to be sent. weft may overwrite the targets of receives from before this call until `after`.
  virtual void before(Step& step) { static_cast<void>(step); }
  /// Compute the results that need no data from other ranks.
  virtual void during(Step& step) { static_cast<void>(step); }
  /// Use the received data.
  virtual void after(Step& step) { static_cast<void>(step); }
  /// Called once per step, after the last `after` of all clients that share the exchange.
  virtual void finish(Step& step) { static_cast<void>(step); }
};

}  // namespace weft
