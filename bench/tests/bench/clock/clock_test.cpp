// SPDX-License-Identifier: BSD-3-Clause
//
// The benchmark runs and reports. The accuracy of the clock is not checked here (global_clock_test.cpp has wide
// bounds).
#include "bench/clock/clock.hpp"

#include <gtest/gtest.h>

#include "bench/tests/bench/report_of.hpp"
#include "weft/clock.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::bench {
namespace {

nlohmann::json run_clock(ClockBenchOptions options, const InProcessOptions& how = {}) {
  options.seconds = 0.01;
  options.pings = 10;
  ::testing::internal::CaptureStdout();
  const auto document = report_of(options, [&](const ClockBenchOptions& o) {
    const auto run = [&](Transport& transport) {
      auto mine = o;
      mine.library_clock = [&transport] { return now_seconds() + transport.rank(); };
      clock(transport, mine);
    };
    run_in_process(3, run, how);
  });
  ::testing::internal::GetCapturedStdout();
  return document;
}

TEST(ClockBench, tells_each_rank_by_both_methods) {
  const auto document = run_clock({});
  for (const char* method : {"smallest round trips", "mean of all"}) {
    for (const char* what : {"rank 1, skew", "rank 2, drift", "rank 1, round trip", "rank 2, error, estimated",
                             "rank 1, error", "worst error", "worst error, later"}) {
      expect_result(document, std::string(method) + ": " + what);
    }
  }
  for (const char* figure :
       {"clock_error_us", "clock_error_later_us", "clock_error_by_mean_us", "share_within_estimate"})
    EXPECT_TRUE(document["figures"].contains(figure)) << figure;
}

TEST(ClockBench, tells_the_origins_of_the_library_s_clock) {
  const auto document = run_clock({});
  EXPECT_NEAR(result_of(document, "MPI_Wtime: rank 2, origin after rank 0's").value("median", 0.0), 2e6, 1e5);
  EXPECT_NE(document["notes"].dump().find("another origin"), std::string::npos);
}

TEST(ClockBench, says_where_the_truth_is_not_known) {
  const auto document = run_clock({}, {.ranks_per_node = 2});
  EXPECT_NE(document["notes"].dump().find("the true time is not known"), std::string::npos);
  for (const auto& r : document["results"]) EXPECT_NE(r["what"], "mean of all: rank 2, error");
}

}  // namespace
}  // namespace weft::bench
