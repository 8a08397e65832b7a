// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/check/finding.hpp"
#include "flow/scaling/cost.hpp"
#include "flow/scaling/run_time.hpp"
#include "flow/scaling/scaling.hpp"
#include "geometry/lumen.hpp"

namespace weft::flow {

/// All that would make a case's result invalid or its run hopeless, worst first; where something is likely a slip of
/// the pen (a wrong unit), what follows from it is left out. The run and its check ask here, so they can't differ.
/// Pure.
std::vector<Finding> find_problems(const Case& c, const Scaling& scaling, const Known& known = {});

/// The first finding that refuses the case, as what both the check and the run end with. Throws InputError, everywhere.
void refuse(const Case& c, const std::vector<Finding>& findings);

/// What is known beside the case when it is checked. Zeros are left out of the report.
struct CheckNumbers {
  int ranks = 1;
  std::int64_t sites = 0;
  std::vector<std::int64_t> opening_sites{};  ///< sites at each opening
  std::vector<std::int64_t> extract_sites{};  ///< of each extract
  std::vector<double> section_areas{};        ///< m^2, of each section
  std::vector<geometry::Lumen> lumens{};      ///< of each opening
  struct Extension {
    std::size_t opening;
    double length;       ///< m
    std::int64_t sites;  ///< that it added
  };
  std::vector<Extension> extensions{};
  double balance = 1;  ///< largest number of sites on a rank over the average
  double bytes_per_site = 0;
  StepTimes step{};          ///< what a step is thought to take
  double load = 0;           ///< processes that were ready to run, a core, before anything was measured; 0: unknown
  double other_seconds = 0;  ///< beside the steps, where the run was measured
  double peak_bytes = 0;     ///< of all ranks, where the run was measured
  bool is_measured = false;  ///< by the very steps of the run
  Known known{};
};

/// What the run is thought to take; zeros if no step was tried. Pure.
RunTime expected_run_time(const Case& c, const Scaling& scaling, const CheckNumbers& numbers);

/// The text of `weft flow --check`: a table of the numbers, the openings, and the problems found but for the first one
/// that refuses the case, which refuse() throws. Ends with a newline.
std::string check_report(const Case& c, const Scaling& scaling, const CheckNumbers& numbers);

}  // namespace weft::flow
