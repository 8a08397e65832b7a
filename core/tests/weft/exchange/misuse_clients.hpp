// SPDX-License-Identifier: BSD-3-Clause
//
// What can be added to a StepManager, beside clients of the program: monitors, collectives in rounds, halos.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/tests/weft/exchange/misuse_model.hpp"

namespace weft::testing {

/// An addition to a StepManager. All calls are collective, as those of the manager.
class Extra {
 public:
  virtual ~Extra() = default;
  /// Adds clients to the manager, of which one may be refused before.
  virtual void add(StepManager& steps) = 0;
  virtual void remove(StepManager& steps) = 0;
  /// Before a step.
  virtual void prepare(std::int64_t step) { static_cast<void>(step); }
};

/// Whether monitors of this thread may throw in combine(), which MPI's reductions call, too. Extra::prepare() clears
/// it.
extern thread_local bool combine_may_throw;

/// `number` is the same on all ranks.
std::unique_ptr<Extra> make_extra(Rank& rank, std::uint64_t number);

}  // namespace weft::testing
