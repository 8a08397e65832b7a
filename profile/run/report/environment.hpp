// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "run/report/reading.hpp"

namespace weft::run {

/// A fact about the machine or the recording, and its cost or consequence.
struct Fact {
  std::string what;   ///< "Cores"
  std::string is;     ///< "8 ranks on 2 cores"
  std::string costs;  ///< empty: no consequence
};

/// Facts with consequences come first.
std::vector<Fact> environment_of(const Reading& reading);

}  // namespace weft::run
