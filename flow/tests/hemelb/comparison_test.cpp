// SPDX-License-Identifier: BSD-3-Clause
//
// HemePure's bifurcation from its .gmy, which HemeLB's tools voxelised, and from its STL, which weft voxelises on the
// same lattice: compared site by site and link by link. It is not in the repository: WEFT_SHARED is the folder with
// data/hemepure-bifurcation.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

#include "geometry/read_surface.hpp"
#include "hemelb/case.hpp"
#include "hemelb/gmy_domain.hpp"
#include "hemelb/import.hpp"
#include "tests/support/geometry_domains.hpp"

namespace weft::hemelb {
namespace {

using geometry::Domain, geometry::Position;

struct Comparison {
  std::int64_t in_both = 0, only_gmy = 0, only_stl = 0;
  std::int64_t same_links = 0;  // cut in both by the same opening or wall, or in neither
  std::int64_t cut_only_gmy = 0, cut_only_stl = 0, other_opening = 0;
  std::vector<double> differences;  // of the distances, where both are cut

  double part_below(double difference) const {
    const auto n = std::count_if(differences.begin(), differences.end(), [&](double d) { return d <= difference; });
    return static_cast<double>(n) / static_cast<double>(differences.size());
  }
};

using Cuts = std::map<int, const geometry::Cut*>;

// Sites by HemeLB's coordinates, each with its cuts; `shift`: HemeLB's coordinates of this domain's site 0.
std::map<Position, Cuts> by_position(const Domain& domain, const Position& shift) {
  std::map<Position, Cuts> result;
  for (const auto& p : domain.sites) result[{p[0] + shift[0], p[1] + shift[1], p[2] + shift[2]}];
  for (const auto& cut : domain.cuts) {
    const auto& p = domain.sites[cut.site];
    result[{p[0] + shift[0], p[1] + shift[1], p[2] + shift[2]}][cut.link] = &cut;
  }
  return result;
}

Comparison compare(const Domain& gmy, const Domain& stl) {
  Position shift{};
  for (std::size_t k = 0; k < 3; ++k)
    shift[k] = static_cast<std::int32_t>(std::lround((stl.grid.origin[k] - gmy.grid.origin[k]) / gmy.grid.voxel));
  const auto a = by_position(gmy, {0, 0, 0}), b = by_position(stl, shift);
  Comparison result;
  for (const auto& entry : b) result.only_stl += !a.contains(entry.first);
  for (const auto& [position, cuts] : a) {
    const auto other = b.find(position);
    if (other == b.end()) {
      ++result.only_gmy;
      continue;
    }
    ++result.in_both;
    for (int link = 0; link < 27; ++link) {
      const auto at = cuts.find(link), there = other->second.find(link);
      const bool here = at != cuts.end(), also = there != other->second.end();
      result.cut_only_gmy += here && !also;
      result.cut_only_stl += !here && also;
      const bool differ = here && also && at->second->opening != there->second->opening;
      result.other_opening += differ;
      result.same_links += here == also && !differ && link != 13;
      if (here && also)
        result.differences.push_back(
            std::abs(static_cast<double>(at->second->distance) - static_cast<double>(there->second->distance)));
    }
  }
  std::sort(result.differences.begin(), result.differences.end());
  return result;
}

TEST(Bifurcation, from_gmy_and_from_stl_is_the_same_vessel) {
  const char* shared = std::getenv("WEFT_SHARED");
  const auto data =
      (shared != nullptr ? std::filesystem::path(shared) : std::filesystem::path(WEFT_SOURCE) / "../shared") /
      "data/hemepure-bifurcation";
  if (!std::filesystem::exists(data / "bifurcation.gmy"))
    GTEST_SKIP() << data << " is not there (it is not in the repository). Set WEFT_SHARED to the folder with data/.";
  auto c = read_case(std::filesystem::path(WEFT_SOURCE) / "flow/tests/hemelb/bifurcation.xml");
  c.gmy = data / "bifurcation.gmy";
  fill_in_radii(c);
  auto surface = geometry::read_surface(data / "bifurcation.stl", c.voxel);  // its unit is HemeLB's voxel
  geometry::close_surface(surface, c.discs(), data / "bifurcation.stl", c.voxel);
  Domain gmy, stl;
  geometry::SetupReport of_gmy, of_stl;
  run_in_process(1, [&](Transport& transport) {
    gmy = make_domain(transport, read_gmy(c.gmy), {c.voxel, c.first_site}, c.discs(), of_gmy);
    stl = geometry::make_domain(transport, surface, c.discs(), c.voxel, of_stl, c.first_site);
    geometry::test::expect_consistent(transport, gmy);
  });
  EXPECT_EQ(of_gmy.sites, 197431);
  EXPECT_EQ(of_gmy.dropped_sites, 0);
  EXPECT_EQ(of_gmy.opening_sites, of_stl.opening_sites);

  const auto result = compare(gmy, stl);
  std::printf("sites: %ld in both, %ld only in the .gmy, %ld only from the STL\n", static_cast<long>(result.in_both),
              static_cast<long>(result.only_gmy), static_cast<long>(result.only_stl));
  std::printf("links: %ld alike, %ld cut only in the .gmy, %ld only from the STL, %ld at another opening\n",
              static_cast<long>(result.same_links), static_cast<long>(result.cut_only_gmy),
              static_cast<long>(result.cut_only_stl), static_cast<long>(result.other_opening));
  std::printf("distances of %zu cuts: median difference %.2g, 99 %% below %.2g, largest %.2g; %.4f within 1e-4\n",
              result.differences.size(), result.differences[result.differences.size() / 2],
              result.differences[result.differences.size() * 99 / 100], result.differences.back(),
              result.part_below(1e-4));
  EXPECT_EQ(result.in_both, 197431);
  EXPECT_EQ(result.only_gmy, 0);
  EXPECT_EQ(result.only_stl, 0);
  EXPECT_EQ(result.cut_only_gmy, 0);
  EXPECT_EQ(result.cut_only_stl, 8);  // links that leave and re-enter the surface where the branches meet
  EXPECT_LT(result.other_opening, 50);
  EXPECT_GT(result.part_below(1e-3), 0.99);

  std::uint64_t prints[2]{};
  for (const int ranks : {1, 3})
    run_in_process(ranks, [&](Transport& transport) {
      geometry::SetupReport report;
      const auto domain = make_domain(transport, read_gmy(c.gmy), {c.voxel, c.first_site}, c.discs(), report);
      const auto print = geometry::test::fingerprint(transport, domain);
      if (transport.rank() == 0) prints[ranks / 3] = print;
    });
  EXPECT_EQ(prints[0], prints[1]);
}

}  // namespace
}  // namespace weft::hemelb
