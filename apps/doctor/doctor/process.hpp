// SPDX-License-Identifier: BSD-3-Clause
// Another program, run to its end or to a deadline.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace weft::doctor {

struct Ended {
  int status = 127;  ///< as a shell has it: 127 if the program could not be started, 128 + n after signal n
  bool timed_out = false;
  std::string out, err;

  bool well() const { return status == 0 && !timed_out; }
  /// Why it did not end well, in a few words: as it says itself, if it says something.
  std::string why() const;
  /// The same as the end of a sentence about it.
  std::string reason() const;
};

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Runs `words`, with nothing to read, for at most `seconds`; then the program and what it started are ended. It does
/// not see what a job that this process may be part of has set for its ranks.
Ended run(const std::vector<std::string>& words, double seconds, const Variables& environment = {});

/// Seconds on a clock that only goes forward.
double now();

}  // namespace weft::doctor
