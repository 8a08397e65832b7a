// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/scratch.hpp"

namespace weft::bench {

/// The report that run(options) writes with --json; null on ranks that write none.
template <class Its, class Run>
nlohmann::json report_of(Its options, const Run& run) {
  const test::Scratch scratch;
  options.json = scratch.path() / "report.json";
  run(options);
  std::ifstream file(options.json);
  return file ? nlohmann::json::parse(file) : nlohmann::json();
}

/// The result of this name; an empty one, and a failure of the test, if the report has none.
inline nlohmann::json result_of(const nlohmann::json& report, const std::string& what) {
  for (const auto& r : report["results"])
    if (r["what"] == what) return r;
  ADD_FAILURE() << "no " << what;
  return nlohmann::json::object();
}

/// Expects a result whose median lies between its quartiles, these above `least`.
inline void expect_result(const nlohmann::json& report, const std::string& what, double least = -1e300) {
  const auto r = result_of(report, what);
  const double low = r.value("low", 0.0), median = r.value("median", 0.0), high = r.value("high", 0.0);
  EXPECT_TRUE(least < low && low <= median && median <= high) << what;
}

}  // namespace weft::bench
