// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "flow/cost.hpp"
#include "flow/swing.hpp"

namespace weft::flow {

/// Something about a case that will go wrong, and the change that would mend it.
struct Finding {
  bool refused = false;  ///< the simulation would not be valid; otherwise a warning
  std::string text;      ///< one line: what is wrong (why that is wrong). what to do.
};

/// What looks like a slip of the pen rather than like a flow of blood: a unit that makes the vessel as long as a house,
/// a speed beyond any in a body, a pressure of thousands of atmospheres, a pulse that jumps where it begins again, a
/// time step without an end. Pure.
std::vector<Finding> find_unlikely(const Case& c, const Scaling& scaling, const Known& known);

/// The vessel's pressure over the pulse, as the lattice's fluid yields to it. Pure.
std::vector<Finding> find_swing(const Case& c, const Scaling& scaling, const Known& known);

/// More sites than the machines' memory holds. Pure.
std::vector<Finding> find_too_large(const Case& c, const Scaling& scaling, const Known& known);

}  // namespace weft::flow
