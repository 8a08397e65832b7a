// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "flow/case/case.hpp"
#include "flow/outlets/outlet_report.hpp"
#include "flow/summary/text.hpp"

namespace weft::flow::summary {

/// What units a page tells its numbers in, by how large they are.
struct PageUnits {
  Unit flow{ml_per_min, "ml/min"};
  Unit pressure{1, "Pa"};
};

/// What an opening prescribes, or what lies behind it, for a person: HTML. Of tuned outlets what they were tuned to.
std::string condition_of(const OpeningCase& opening, const OutletReport& outlets, const PageUnits& units);

/// The fluid in a line: HTML.
std::string fluid_text(const FluidCase& fluid);

}  // namespace weft::flow::summary
