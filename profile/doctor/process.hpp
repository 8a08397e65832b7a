// SPDX-License-Identifier: BSD-3-Clause
// Runs another program to its end or to a deadline.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace weft::doctor {

struct Ended {
  int status = 127;  ///< as in a shell: 127 if the program could not be started, 128 + n after signal n
  bool timed_out = false;
  std::string out, err;

  bool well() const { return status == 0 && !timed_out; }
  /// Why it failed: the first paragraph of its own output, if there is any.
  std::string why() const;
  /// Why it failed, as the end of a sentence.
  std::string reason() const;
};

using Variables = std::vector<std::pair<std::string, std::string>>;

/// Runs `words` without input for at most `seconds`; then the program and its children are ended. The variables of a
/// job that this process belongs to are removed from its environment.
Ended run(const std::vector<std::string>& words, double seconds, const Variables& environment = {});

}  // namespace weft::doctor
