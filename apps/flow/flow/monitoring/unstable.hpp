// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "flow/case/case.hpp"
#include "flow/scaling/cost.hpp"
#include "flow/scaling/scaling.hpp"
#include "weft/error.hpp"

namespace weft::flow {

/// Where and how a flow became unstable.
struct Breakdown {
  std::int64_t step = 0;
  std::optional<geometry::Vector> place{};  ///< m; none: nobody knows
  double wall_distance = -1;                ///< m, from there to the nearest site at a wall; below 0: unknown
  double population = 0;                    ///< the lowest; below 0 where that was what was seen
};

/// Thrown on every rank by the monitors; the run tells more of it (unstable_line).
class Unstable : public Error {
 public:
  explicit Unstable(const Breakdown& breakdown) : Error("the flow became unstable", true), breakdown_(breakdown) {}
  const Breakdown& breakdown() const { return breakdown_; }

 private:
  Breakdown breakdown_;
};

/// One line: when and where, in the surface's unit, beside which opening or wall; then what would help that the case
/// does not have yet, the cheapest first, with the time that the mended run would take. Pure.
std::string unstable_line(const Breakdown& breakdown, const Case& c, const Scaling& scaling, const Known& known);

}  // namespace weft::flow
