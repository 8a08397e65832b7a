// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "flow/case/case.hpp"
#include "flow/outlets/outlet_report.hpp"
#include "flow/summary/text.hpp"

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

}  // namespace weft::flow::summary
