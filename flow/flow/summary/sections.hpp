// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of a run's page, as HTML.
#pragma once

#include <string>

#include "flow/summary/conditions.hpp"
#include "flow/summary/history.hpp"
#include "flow/summary/summary.hpp"

namespace weft::flow::summary {

/// The input of all parts.
struct Page {
  const Case& c;
  const Vessel& vessel;
  const RunResult& result;
  const SummaryFacts& facts;
  History history{};
  PageUnits units{};
  std::size_t root = 0;  ///< the first inlet
};

std::string head_part(const Page& page);  ///< title and main results
std::string vessel_part(const Page& page);
std::string openings_part(const Page& page);  ///< boundary conditions, and Reynolds numbers
std::string flow_part(const Page& page);      ///< split and pressure drops
std::string wall_part(const Page& page);
std::string grid_part(const Page& page);  ///< if voxel sizes were compared
std::string curves_part(const Page& page);
std::string convergence_part(const Page& page);  ///< and mass balance
std::string solver_part(const Page& page);
std::string overlap_part(const Page& page);
std::string warnings_part(const Page& page);

}  // namespace weft::flow::summary
