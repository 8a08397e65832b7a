// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flow/outlets/beats.hpp"
#include "flow/outlets/circulation.hpp"
#include "flow/outlets/tuner.hpp"

namespace weft::flow {

/// The state of the outlets at the end of a run.
struct OutletReport {
  std::string text{};  ///< for printing: lines, or empty
  std::string json{};  ///< a JSON object: beats, tuned windkessels, compartments
  bool periodic = false;
  std::vector<std::string> warnings{};  ///< of pressures that differ from those that the conditions give
};

/// `time_s`: of the circulation's state. All pointers may be null.
OutletReport report_outlets(const Case& c, const Beats* beats, const Tuner* tuner, const Circulation* circulation,
                            double time_s);

/// Whether the last two beats agree within the case's tolerance, and tuned outlets met their targets.
bool is_periodic(const Case& c, const Beats& beats, const Tuner* tuner);

}  // namespace weft::flow
