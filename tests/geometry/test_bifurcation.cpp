// SPDX-License-Identifier: BSD-3-Clause
//
// HemePure's bifurcation, which HemeLB's own tool voxelised to 197,431 sites. Not part of the repository: WEFT_SHARED
// names the folder that holds data/hemepure-bifurcation, ../shared beside the checkout by default.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/support/geometry_domains.hpp"

using namespace weft;
using namespace weft::geometry;
using namespace weft::geometry::test;

TEST(Bifurcation, has_as_many_sites_as_hemelb_finds) {
  const char* shared = std::getenv("WEFT_SHARED");
  const std::filesystem::path folder =
      (shared != nullptr ? std::filesystem::path(shared) : std::filesystem::path(WEFT_SOURCE) / ".." / "shared") /
      "data/hemepure-bifurcation";
  const auto path = folder / "bifurcation.stl";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there (it is not ours to carry). Set WEFT_SHARED.";

  constexpr double unit = 66.67e-6;
  const auto opening = [&](const char* name, const Vector& centre, const Vector& normal, Opening::Kind kind) {
    return Opening{kind, name, unit * centre, normalised(normal), 15 * unit};
  };
  const std::vector<Opening> openings{
      opening("inlet", {77.999, 18.1515, 3}, {0, 0, 1}, Opening::Kind::inlet),
      opening("left", {13.7137, 18.1515, 173.351}, {0.707107, 0, -0.707107}, Opening::Kind::outlet),
      opening("right", {142.284, 18.1515, 173.351}, {-0.707107, 0, -0.707107}, Opening::Kind::outlet)};
  auto surface = read_stl(path, unit);
  EXPECT_EQ(surface.triangles.size(), 288U);
  EXPECT_EQ(close_surface(surface, openings, path, unit), 0);

  std::vector<std::uint64_t> fingerprints;
  for (const int ranks : {1, 3})
    run_in_process(ranks, [&](Transport& transport) {
      SetupReport report;
      const auto domain = make_domain(transport, surface, openings, unit, report);
      const auto print = fingerprint(transport, domain);
      if (transport.rank() != 0) return;
      fingerprints.push_back(print);
      EXPECT_NEAR(static_cast<double>(report.sites), 197431, 0.01 * 197431);
      EXPECT_EQ(report.dropped_sites, 0);
      for (const auto sites : report.opening_sites) EXPECT_NEAR(static_cast<double>(sites), 720, 300);
      std::printf("%d ranks: %lld sites, %lld dropped, %lld blocks, %lld/%lld/%lld at openings, %.3f + %.3f s, balance %.3f, cut %lld\n", ranks,
                  (long long)report.sites, (long long)report.dropped_sites, (long long)report.blocks,
                  (long long)report.opening_sites[0], (long long)report.opening_sites[1], (long long)report.opening_sites[2],
                  report.voxelise_seconds, report.decompose_seconds, report.balance, (long long)report.edge_cut);
    });
  EXPECT_EQ(fingerprints[0], fingerprints[1]);
}
