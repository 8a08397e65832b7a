// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <vector>

#include "core/tests/weft/exchange/misuse_moves.hpp"

namespace weft::testing {

/// One of the exchanges that are used together, and what belongs to it.
struct One {
  /// Sends one number to the next rank, for continuations.
  void make_inner(Rank& rank, const ExchangeOptions& options);
  /// A call that is wrong at this point and does no harm.
  void misuse(Rank& rank, int round);
  /// The calls that mark the messages of a round, which may come in any order.
  Actions calls_of_round(Rank& rank, int round, std::uint64_t step);
  /// The same, in one order.
  void ready_everything(int round);

  std::vector<std::unique_ptr<Moves>> clients;
  std::vector<Requests*> lists;
  std::vector<std::vector<char>> marked;  ///< ready() or accept() was called
  std::unique_ptr<Exchange> exchange;
  std::unique_ptr<Exchange> inner;  ///< for continuations
  std::unique_ptr<std::array<int, 2>> inner_numbers;
  StartedExchange messages;
  int rounds = 1;
  bool deferred = false, continuations = false, is_threaded = false, interrupted = false;
};

}  // namespace weft::testing
