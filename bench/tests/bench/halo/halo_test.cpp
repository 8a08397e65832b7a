// SPDX-License-Identifier: BSD-3-Clause
//
// The benchmark runs and reports. The measured times are not checked.
#include "bench/halo/halo.hpp"

#include <gtest/gtest.h>

#include "bench/tests/bench/report_of.hpp"
#include "weft/error.hpp"

namespace weft::bench {
namespace {

nlohmann::json run(HaloBenchOptions options) {
  mpi::Communicator world(MPI_COMM_WORLD);
  options.seconds = 0.01;
  return report_of(options, [&](const HaloBenchOptions& o) { halo(world, o); });
}

TEST(HaloBench, reports_every_way_and_its_figures) {
  HaloBenchOptions options;
  options.sizes = {{4, 4, 4}, {2, 3, 4}};
  options.overlap = false;
  const auto document = run(options);
  if (document.is_null()) return;
  EXPECT_EQ(document["benchmark"], "halo");
  for (const char* what :
       {"4^3 aos: memcpy", "4^3 soa: baseline by_dimension", "2x3x4 soa: baseline at once",
        "2x3x4 aos: direct reduced merged", "4^3 soa: by_dimension whole per_part",
        "4^3 aos: baseline by_dimension, effective bandwidth", "4^3 aos: baseline by_dimension, updates"})
    expect_result(document, what);
  EXPECT_TRUE(document["figures"].contains("worst_over_baseline"));
  EXPECT_FALSE(document["figures"].contains("overlap_fraction"));
  EXPECT_GE(document["notes"].size(), 4);
}

TEST(HaloBench, reports_what_is_overlapped) {
  HaloBenchOptions options;
  options.exchange = false;
  options.overlap_size = {16, 16, 16};
  options.schemes = {HaloOptions::Scheme::direct};
  const auto document = run(options);
  if (document.is_null()) return;
  for (const char* what : {"overlap 16^3 soa: baseline by_dimension, exchange alone",
                           "overlap 16^3 soa: baseline at once, r = 1.0, passive, total",
                           "overlap 16^3 soa: messages of direct reduced, r = 0.0, polling, total",
                           "overlap 16^3 soa: direct reduced, r = 1.2, thread, overlap fraction",
                           "overlap 16^3 soa: direct whole, r = 2.0, polling, total"})
    expect_result(document, what);
}

TEST(HaloBench, knows_cubes_and_blocks) {
  EXPECT_EQ(parse_size("64"), (Index{64, 64, 64}));
  EXPECT_EQ(parse_size("32x48x64"), (Index{32, 48, 64}));
  EXPECT_EQ(name_of_size({8, 8, 8}), "8^3");
  EXPECT_EQ(name_of_size({8, 12, 16}), "8x12x16");
  for (const char* bad : {"", "0", "x", "64x", "8x8", "1x2x3x4", "257", "-4", "99999999999999999999", "8 "})
    EXPECT_THROW(parse_size(bad), InputError) << bad;
}

}  // namespace
}  // namespace weft::bench
