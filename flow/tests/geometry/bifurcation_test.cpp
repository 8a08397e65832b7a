// SPDX-License-Identifier: BSD-3-Clause
//
// HemePure's bifurcation, which HemeLB's own tool voxelised to 197,431 sites. It is not in the repository: WEFT_SHARED
// is the folder with data/hemepure-bifurcation (default: ../shared beside the checkout).
#include <gtest/gtest.h>

#include <cstdlib>

#include "geometry/read_surface.hpp"
#include "tests/support/geometry_domains.hpp"
#include "tests/support/geometry_shapes.hpp"

using namespace weft;
using namespace weft::geometry;
using namespace weft::geometry::test;

namespace {

constexpr std::int64_t hemelb_sites = 197431;
constexpr double unit = 66.67e-6;

class Bifurcation : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* shared = std::getenv("WEFT_SHARED");
    const auto folder =
        shared != nullptr ? std::filesystem::path(shared) : std::filesystem::path(WEFT_SOURCE) / "../shared";
    const auto path = folder / "data/hemepure-bifurcation/bifurcation.stl";
    if (!std::filesystem::exists(path))
      GTEST_SKIP() << path
                   << " is not there (it is not ours to carry). Set WEFT_SHARED to the folder that holds data/.";
    surface_ = read_surface(path, unit);
    ASSERT_EQ(surface_.triangles.size(), 288U);
    ASSERT_EQ(close_surface(surface_, openings_, path, unit), 0);
  }

  Surface surface_;
  const std::vector<Opening> openings_{
      opening("inlet", unit* Vector{77.999, 18.1515, 3}, {0, 0, 1}, 15 * unit),
      opening("left", unit* Vector{13.7137, 18.1515, 173.351}, {1, 0, -1}, 15 * unit, Opening::Kind::outlet),
      opening("right", unit* Vector{142.284, 18.1515, 173.351}, {-1, 0, -1}, 15 * unit, Opening::Kind::outlet)};
};

}  // namespace

TEST_F(Bifurcation, has_as_many_sites_as_hemelb_finds_on_any_number_of_ranks) {
  std::vector<std::uint64_t> fingerprints;
  for (const int ranks : {1, 3})
    run_in_process(ranks, [&](Transport& transport) {
      SetupReport report;
      const auto domain = make_domain(transport, surface_, openings_, unit, report);
      const auto print = fingerprint(transport, domain);
      if (transport.rank() != 0) return;
      fingerprints.push_back(print);
      EXPECT_NEAR(static_cast<double>(report.sites), hemelb_sites, 0.01 * hemelb_sites);
      EXPECT_EQ(report.dropped_sites, 0);
      EXPECT_EQ(report.opening_sites, (std::vector<std::int64_t>{720, 1015, 1015}));
    });
  EXPECT_EQ(fingerprints[0], fingerprints[1]);
}

TEST_F(Bifurcation, has_exactly_hemelbs_sites_on_hemelbs_lattice) {
  // Its sites lie at integer positions. A box too small to contain one moves the lattice there: the box's corner is at
  // one half.
  const auto shift = box(unit * Vector{0.5, 0.5, 0.5}, unit * Vector{0.6, 0.6, 0.6});
  SetupReport report;
  const auto domain = voxelise(joined(surface_, shift), openings_, unit, report);
  EXPECT_NEAR(domain.grid.origin[0] / unit, 0, 1e-9);
  EXPECT_EQ(report.sites, hemelb_sites);
  std::vector<std::int64_t> cuts(4, 0);  // wall, then each opening: cut as the links of bifurcation.gmy
  for (const auto& cut : domain.cuts) ++cuts[static_cast<std::size_t>(cut.opening + 1)];
  // 8 ends of links that leave and re-enter the surface where the branches meet; HemeLB takes these links as fluid.
  EXPECT_EQ(cuts, (std::vector<std::int64_t>{233698 + 8, 6132, 5968, 5968}));
}
