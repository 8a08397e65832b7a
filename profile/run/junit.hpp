// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace weft::run {

/// What a test of the overlap has printed about a region.
struct TestLine {
  std::string region;  ///< "halo", "whole program"
  int status = 0;      ///< 0, 3 (the overlap fraction is too small), 4 (it is unknown), or a launcher's
  std::string text;
};

/// Region and status of printed lines, from their words: "The overlap fraction of region halo is 12.0 %, ... (status
/// 3)." `status` is that of the command: the launcher's, if it failed.
std::vector<TestLine> test_lines(const std::vector<std::string>& lines, int status);

/// The tests as JUnit's XML, a test case for each region (one, "whole program", if there are no tests). A lost overlap
/// is a failure, an unknown one and a failed launcher are errors. `report` may be null.
std::string junit_of(const std::vector<TestLine>& tests, const nlohmann::json& report);

}  // namespace weft::run
