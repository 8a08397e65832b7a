// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "run/report/reading.hpp"

namespace weft::run {

/// A fact of the machine or of the recording, and what it costs or means, if it
/// does.
struct Fact {
  std::string what;   ///< "Cores"
  std::string is;     ///< "8 ranks on 2 cores"
  std::string costs;  ///< or empty, if there is nothing to say of it
};

/// Those that cost come first.
std::vector<Fact> environment_of(const Reading& reading);

}  // namespace weft::run
