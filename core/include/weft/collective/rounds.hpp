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

/// How many steps the rounds take.
enum class Pace : std::uint8_t {
  in_step,  ///< all rounds in one step, as continuations of the exchange: the result is available at its end
  phased,   ///< one round per step: no wait of its own, and the result is late by the number of rounds
};

/// The name as in the enumeration.
const char* name_of(Pace pace);

/// An implementation of a collective in rounds of point-to-point messages, which are parts like any others: they share
/// messages and waits with all other clients of the step.
///
///     Rounds sum(world, Collective::all_reduce(std::span<const double>(in), std::span(out), weft::sum<double>()));
///     sum.add_to(manager, "sum", {.pace = Pace::phased, .load = [&] { ... }, .use = [&] { ... }});
///
/// Blocks have one size on all ranks: `in` (all-to-all: a rank's share of it). All-gather and all-to-all take no
/// counts.
class Rounds {
 public:
  /// When a collective runs. The same on all ranks, except for the functions.
  struct Options {
    Pace pace = Pace::in_step;     ///< all rounds in one step, or one per step
    std::int64_t every = 1;        ///< steps from one start to the next; phased: at least the rounds, the default
    std::int64_t offset = 0;       ///< of the steps that start it
    std::function<void()> load{};  ///< called just before `in` is read
    std::function<void()> use{};   ///< called when `out` is complete
  };

  /// The spans are borrowed. Throws Error if there is no such algorithm, or the sizes don't match. Not collective.
  Rounds(const Transport& transport, const Collective& what, Algorithm algorithm, const ScheduleOptions& options = {});
  /// The same with the first of algorithms_of(what.kind).
  Rounds(const Transport& transport, const Collective& what);
  ~Rounds();
  Rounds(const Rounds&) = delete;
  Rounds& operator=(const Rounds&) = delete;

  /// Registers a client (phased: one per round), which the manager borrows: call remove_from() before the destructor.
  /// If it throws, none is registered. The first start is that of the next step in which one is due. Collective, as
  /// StepManager::add.
  void add_to(StepManager& manager, const std::string& name, const Options& options);
  /// Unregisters the clients. Collective.
  void remove_from(StepManager& manager);

  /// The number of rounds.
  int rounds() const { return static_cast<int>(blocks_.rounds()); }
  /// The schedule of this rank.
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
  static constexpr std::size_t no_round = ~std::size_t{0};
  std::size_t next_round_ = no_round;  // phased: the round that comes next
};

}  // namespace weft
