// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/scaling/cost.hpp"
#include "flow/scaling/scaling.hpp"
#include "geometry/section.hpp"

namespace weft::flow {

/// A problem of a case, and the change that removes it.
struct Finding {
  bool refused = false;  ///< the case is refused, since its result would not be valid; otherwise a warning
  std::string text;      ///< one line: What is wrong (why it is wrong). What to do.
};

/// Finds discs that are much larger or smaller than their lumens, or that also cut other lumens. `lumens`: one for each
/// opening, or empty.
std::vector<Finding> find_lumen_problems(const Case& c, const std::vector<geometry::Lumen>& lumens);

/// Finds connected parts of the vessel that have no opening with a pressure, and checks whether their prescribed flows
/// balance. While the parts are unknown (Case::parts) all openings count as one part. Pure.
std::vector<Finding> find_part_problems(const Case& c);

/// Checks the vessel's pressure range over the pulse, which compresses the lattice's fluid. Pure.
std::vector<Finding> find_pressure_range(const Case& c, const Scaling& scaling, const Known& known);

/// Finds likely mistakes in a case: a unit that gives an impossible vessel length, a speed or pressure that does not
/// occur in a body, a resistance or fluid in CGS units without their names, a pulse that jumps at the end of its
/// period, a run of too many steps. Pure.
std::vector<Finding> find_unlikely(const Case& c, const Scaling& scaling, const Known& known);

/// Finds a voxel whose sites do not fit into the machines' memory. Pure.
std::vector<Finding> find_too_large(const Case& c, const Scaling& scaling, const Known& known);

/// Finds prescribed flows with the wrong sign, and tables of one beat that end before the run. Pure.
std::vector<Finding> find_waveform_problems(const Case& c, const Scaling& scaling);

}  // namespace weft::flow
