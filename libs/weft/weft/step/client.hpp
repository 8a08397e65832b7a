// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "weft/bytes.hpp"
#include "weft/exchange/requests.hpp"
#include "weft/exchange/started.hpp"

namespace weft {

class Exchange;

/// The step that is running, as its clients see it.
class Step {
 public:
  /// Made by StepManager.
  Step(std::int64_t number, int round, Exchange& all, StartedExchange& exchange, std::uint32_t client,
       double* drove = nullptr)
      : all_(all), exchange_(exchange), number_(number), round_(round), client_(client), drove_(drove) {}

  /// The step, as StepManager::step() counts.
  std::int64_t number() const { return number_; }
  /// The round, from 0.
  int round() const { return round_; }
  /// The part may leave now, before the callback is over. Parts that nobody marked leave when `before` returns.
  void ready(SendPart part);
  /// The same of a part of up to n bytes: the first so many travel.
  void ready(SendPart part, std::size_t bytes);
  /// The same of a part that was listed with given(), which lies there.
  void ready(SendPart part, Region region);
  /// The same of a collective, whose input is complete.
  void ready(CollectivePart part);
  /// The received part may be put in place now; without MessageOptions::held it may have been before. Parts of this
  /// round that nobody accepted are when all `during` have returned.
  void accept(ReceivePart part);
  /// In `after` and `finish`: how many bytes of a part of up to n came.
  std::size_t received_bytes(ReceivePart part) const;
  /// The same, of what came of one that has no memory, as Exchange::take_received().
  Bytes take_received(ReceivePart part);
  /// Gives the messages a chance to move; call it now and then in a long `during`. Costs next to nothing if none is
  /// due.
  void progress();

 private:
  Exchange& all_;
  StartedExchange& exchange_;
  std::int64_t number_;
  int round_;
  std::uint32_t client_;  // the caller's number in the exchange
  double* drove_;         // s in progress(), for who profiles: that is no computation
};

/// A module of the program that communicates once per step.
///
/// For each round, the StepManager calls before, during and after of all active clients, in the order in which they
/// were added: all `before` and `during` while the messages of all of them travel, all `after` when everything has
/// arrived. A client is called in the rounds that it asked for (in the first at least), and all once more when the last
/// is over.
class Client {
 public:
  virtual ~Client() = default;

  /// What I move, round by round. Called once when the client is added, and again after StepManager::changed().
  virtual void request(Requests& requests) = 0;
  /// Compute what must be sent. Targets of receives may be overwritten from before this call until `after`.
  virtual void before(Step& step) { static_cast<void>(step); }
  /// Compute what needs nothing from other ranks.
  virtual void during(Step& step) { static_cast<void>(step); }
  /// Use what arrived.
  virtual void after(Step& step) { static_cast<void>(step); }
  /// Once a step: the rounds of all clients that share the exchange are over, and each client's last `after`.
  virtual void finish(Step& step) { static_cast<void>(step); }
};

}  // namespace weft
