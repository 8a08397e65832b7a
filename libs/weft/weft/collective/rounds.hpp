// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "weft/collective/round_blocks.hpp"
#include "weft/step/client.hpp"
#include "weft/step/step_manager.hpp"

namespace weft {

/// In how many steps the rounds are done.
enum class Pace : std::uint8_t {
  in_step,  ///< all rounds in one step, relayed by whoever drives the exchange: the result is there at its end
  phased,   ///< one round a step: no wait of its own, and the result is late by the number of rounds
};

/// The name as in the enumeration.
const char* name_of(Pace pace);

/// A collective made of rounds of our own, whose messages are parts like any other: they share the step's messages and
/// its synchronisation points with all other clients.
///
///     Rounds sum(world, Collective::all_reduce(std::span<const double>(in), std::span(out), weft::sum<double>()));
///     sum.add_to(manager, "sum", {.pace = Pace::phased, .load = [&] { ... }, .use = [&] { ... }});
///
/// Blocks are of one size on all ranks: `in` (all-to-all: a rank's share of it). All-gather and all-to-all take no
/// counts.
class Rounds {
 public:
  /// When a collective is done. The same on all ranks, but for the functions.
  struct Options {
    Pace pace = Pace::in_step;  ///< all rounds in a step, or one
    std::int64_t every = 1;     ///< steps from one start to the next; phased: at least the rounds, which is the default
    std::int64_t offset = 0;    ///< of the steps that start it
    std::function<void()> load{};  ///< just before `in` is read
    std::function<void()> use{};   ///< `out` is there
  };

  /// The spans are borrowed. Throws Error if there is no such algorithm, or the sizes don't fit. Not collective.
  Rounds(const Transport& transport, const Collective& what, Algorithm algorithm, const ScheduleOptions& options = {});
  /// The first of algorithms_of(what.kind).
  Rounds(const Transport& transport, const Collective& what);
  ~Rounds();
  Rounds(const Rounds&) = delete;
  Rounds& operator=(const Rounds&) = delete;

  /// Becomes a client (phased: one a round), which the manager borrows: remove it first. Collective, as
  /// StepManager::add.
  void add_to(StepManager& manager, const std::string& name, const Options& options);
  /// Is no client any more. Collective.
  void remove_from(StepManager& manager);

  /// How many there are.
  int rounds() const { return static_cast<int>(blocks_.rounds()); }
  /// Who sends what to whom.
  const CollectiveSchedule& schedule() const { return blocks_.schedule(); }

 private:
  class InStep;
  class Phase;

  void request(Requests& requests, std::size_t round, int exchange_round);
  void load();
  void store();

  RoundBlocks blocks_;
  Options options_;
  std::vector<std::unique_ptr<Client>> clients_;
};

}  // namespace weft
