// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/scaling/cost.hpp"
#include "flow/scaling/scaling.hpp"
#include "flow/set_up/findings.hpp"
#include "geometry/section.hpp"

namespace weft::flow {

/// Everything that would make a case's result invalid or its run infeasible, worst first. If there is a likely mistake
/// (a wrong unit), the problems that follow from it are left out. The run and its check both use this function. Pure.
std::vector<Finding> find_problems(const Case& c, const Scaling& scaling, const Known& known = {});

/// Throws the first finding that refuses the case as an InputError, on every rank. Both the check and the run end with
/// it.
void refuse(const Case& c, const std::vector<Finding>& findings);

/// Numbers for the report of a check besides the case. Zeros are left out of the report.
struct CheckNumbers {
  int ranks = 1;
  std::int64_t sites = 0;
  std::vector<std::int64_t> opening_sites{};  ///< sites at each opening
  std::vector<std::int64_t> extract_sites{};  ///< for each extract
  std::vector<double> section_areas{};        ///< m^2, for each section
  std::vector<geometry::Lumen> lumens{};      ///< for each opening
  struct Extension {
    std::size_t opening;
    double length;       ///< m
    std::int64_t sites;  ///< in the extension
  };
  std::vector<Extension> extensions{};
  double balance = 1;  ///< largest number of sites on a rank / average
  double bytes_per_site = 0;
  StepTimes step{};          ///< expected duration of a step
  double load = 0;           ///< runnable processes per core before the measurement; 0: unknown
  double other_seconds = 0;  ///< besides the steps, if the run was measured
  double peak_bytes = 0;     ///< of all ranks together, if the run was measured
  bool is_measured = false;  ///< `step` was measured by steps of the run itself
  Known known{};
};

/// The expected run time; zeros if no step was timed. Pure.
RunTime expected_run_time(const Case& c, const Scaling& scaling, const CheckNumbers& numbers);

/// The text of `weft flow --check`: a table of the numbers, the openings, and the problems found, except the first one
/// that refuses the case, which refuse() throws. Ends with a newline.
std::string check_report(const Case& c, const Scaling& scaling, const CheckNumbers& numbers);

/// Writes the results of a check as JSON: settings, sites, problems, and the range of the run time with the machine's
/// load. The file is written under a temporary name and renamed. Throws InputError if it can't be written.
void write_check_json(const std::filesystem::path& file, const Case& c, const Scaling& scaling,
                      const CheckNumbers& numbers);

}  // namespace weft::flow
