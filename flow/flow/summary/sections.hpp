// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/outlets/outlet_state.hpp"
#include "flow/summary/history.hpp"
#include "flow/summary/html.hpp"
#include "flow/summary/summary.hpp"

namespace weft::flow::summary {

/// The units of a page's numbers, chosen by their magnitude.
struct PageUnits {
  Unit flow{ml_per_min, "ml/min"};
  Unit pressure{1, "Pa"};
};

/// An opening's boundary condition as HTML; for tuned outlets with the tuned values.
std::string condition_of(const OpeningCase& opening, const OutletReport& outlets, const PageUnits& units);

/// The fluid in one line of HTML.
std::string fluid_text(const FluidCase& fluid);

// The parts of a run's page, as HTML.

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

// What the case prescribes, for comparison with what the run computed.

/// Of each outlet the fraction of the outflow that the case prescribes: its share, its own flow, or what its windkessel
/// takes by the resistances alone. Not a number if nothing prescribes it.
std::vector<double> prescribed_shares(const Case& c);

/// Of each opening the prescribed flow (into the vessel) and pressure, at the times of the page's curves; empty curves
/// where the opening prescribes none.
std::vector<Curve> prescribed_flows(const Page& page);
std::vector<Curve> prescribed_pressures(const Page& page);

}  // namespace weft::flow::summary
