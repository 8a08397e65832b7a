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

namespace [[gnu::visibility("default")]] weft {

/// Whether the rounds of a collective run in one step, or in one step each.
enum class Pace : std::uint8_t {
  in_step,  ///< all rounds in one step, by continuations of the exchange: the result is available at the step's end
  phased,   ///< one round per step, without a wait of its own: the result comes (number of rounds - 1) steps later
};

/// The name as in the enumeration.
const char* name_of(Pace pace);

/// Implements a collective by rounds of point-to-point messages. Their data are parts of the step's exchange, which
/// share messages and waits with the parts of all other clients.
///
///     Rounds sum(world, Collective::all_reduce(std::span<const double>(in), std::span(out), weft::sum<double>()));
///     sum.add_to(manager, "sum", {.pace = Pace::phased, .load = [&] { ... }, .use = [&] { ... }});
///
/// A block has the size of `in` (all-to-all: of one rank's share of `in`), which is the same on all ranks. So
/// all-gather and all-to-all take no counts.
class Rounds {
 public:
  /// When a collective runs, and what the program does then. The same on all ranks, except for the functions.
  struct Options {
    Pace pace = Pace::in_step;     ///< all rounds in one step, or one per step
    std::int64_t every = 1;        ///< period in steps; phased: raised to the number of rounds if it is less
    std::int64_t offset = 0;       ///< it starts in steps n with n % every == offset % every
    std::function<void()> load{};  ///< called just before `in` is read
    std::function<void()> use{};   ///< called when `out` is complete
  };

  /// Makes the schedule. The spans are borrowed. Throws Error, on every rank, as RoundBlocks. Not collective.
  Rounds(const Transport& transport, const Collective& what, Algorithm algorithm, const ScheduleOptions& options = {});
  /// The same with the first algorithm of algorithms_of(what.kind).
  Rounds(const Transport& transport, const Collective& what);
  ~Rounds();
  Rounds(const Rounds&) = delete;
  Rounds& operator=(const Rounds&) = delete;

  /// Adds a client to the manager (phased: one per round). This object is borrowed until remove_from(), which must be
  /// called before the destructor. The collective first starts in the next step that `every` and `offset` select.
  /// Collective, as StepManager::add. If it throws, no client is added.
  void add_to(StepManager& manager, const std::string& name, const Options& options);
  /// Removes the clients from the manager. Collective.
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
