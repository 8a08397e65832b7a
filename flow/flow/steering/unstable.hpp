// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <string>

#include "flow/case/case.hpp"
#include "flow/scaling/cost.hpp"
#include "flow/scaling/scaling.hpp"
#include "weft/error.hpp"

namespace weft::flow {

/// Where and how a flow became unstable.
struct Breakdown {
  enum class Cause : std::uint8_t { negative_population, not_a_number, density, speed };

  std::int64_t step = 0;
  Cause cause = Cause::not_a_number;
  double value = 0;           ///< the lowest population, the lowest density (1 is the reference), the Mach number
  geometry::Vector place{};   ///< m
  double wall_distance = -1;  ///< m, to the nearest site at a wall; below 0: there is no wall
};

/// Thrown on every rank by the monitors; the run adds details (unstable_line).
class Unstable : public Error {
 public:
  explicit Unstable(const Breakdown& breakdown) : Error("The flow became unstable.", true), breakdown_(breakdown) {}
  const Breakdown& breakdown() const { return breakdown_; }

 private:
  Breakdown breakdown_;
};

/// The opening nearest to a position, by the distance from its centre (m); null: the case has no opening.
struct NearestOpening {
  const OpeningCase* opening = nullptr;
  double distance = std::numeric_limits<double>::infinity();
};
NearestOpening nearest_opening(const Case& c, const geometry::Vector& place);

/// The cause: "a population is negative: -0.25".
std::string cause_text(const Breakdown& breakdown);

/// One line: time and position in the surface's unit, nearest opening and wall; then remedies that the case does not
/// have yet, with the run time with each. Pure.
std::string unstable_line(const Breakdown& breakdown, const Case& c, const Scaling& scaling, const Known& known);

}  // namespace weft::flow
