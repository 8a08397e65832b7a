// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "flow/lumped/circulation.hpp"
#include "flow/outlets/beats.hpp"
#include "flow/outlets/tuner.hpp"

namespace weft::flow {

/// What outlets came to, when a run ends.
struct OutletReport {
  std::string text{};  ///< for a person; lines, or nothing
  std::string json{};  ///< an object: beats, tuned windkessels, compartments
  bool periodic = false;
};

/// `time_s`: of the circulation's state. All may be null.
OutletReport report_outlets(const Case& c, const Beats* beats, const Tuner* tuner, const Circulation* circulation,
                            double time_s);

/// The last two beats agree as well as the case asks for, and what is tuned is as wanted.
bool is_periodic(const Case& c, const Beats& beats, const Tuner* tuner);

}  // namespace weft::flow
