// SPDX-License-Identifier: BSD-3-Clause
//
// The vessel is the same on any number of ranks; only the owners differ.
#include <gtest/gtest.h>

#include "tests/support/geometry_domains.hpp"
#include "tests/support/geometry_shapes.hpp"

using namespace weft;
using namespace weft::geometry;
using namespace weft::geometry::test;

namespace {

const Vector from{0, 0, 0}, to{3, 4, 2};

Surface vessel() {
  return joined(tube(from, to, 0.6, 48, Ends::capped), sphere({1.5, 2, 1}, 0.9, 4));  // with an aneurysm
}

const std::vector<Opening> openings{opening("in", from, to - from, 0.6),
                                    opening("out", to, from - to, 0.6, Opening::Kind::outlet)};

}  // namespace

TEST(Decompose, the_result_does_not_depend_on_the_number_of_ranks) {
  std::uint64_t first_print = 0;
  SetupReport first;
  for (const int ranks : {1, 2, 3, 4, 7}) {
    run_in_process(ranks, [&](Transport& transport) {
      SetupReport report;
      const auto domain = make_domain(transport, vessel(), openings, 0.06, report);
      expect_consistent(transport, domain);
      const auto print = fingerprint(transport, domain);
      EXPECT_FALSE(domain.sites.empty());
      EXPECT_LT(report.balance, 1.3);
      EXPECT_EQ(report.edge_cut == 0, ranks == 1);
      if (transport.rank() != 0) return;
      if (ranks == 1) {
        first_print = print;
        first = report;
      }
      EXPECT_EQ(print, first_print) << ranks << " ranks";
      EXPECT_EQ(report.sites, first.sites);
      EXPECT_EQ(report.blocks, first.blocks);
      EXPECT_EQ(report.dropped_sites, first.dropped_sites);
      EXPECT_EQ(report.opening_sites, first.opening_sites);
    });
  }
}

TEST(Decompose, edge_cut_counts_the_links_between_ranks) {
  run_in_process(3, [&](Transport& transport) {
    SetupReport report;
    const auto domain = make_domain(transport, vessel(), openings, 0.08, report);
    std::int64_t crossing = 0;
    for (std::size_t i = 0; i < domain.sites.size(); ++i)
      for (int link = 14; link < 27; ++link) {
        if (((domain.fluid[i] >> link) & 1U) == 0) continue;
        const auto step = link_offset(link);
        const auto& p = domain.sites[i];
        crossing +=
            domain.owner.at(domain.grid.block_id({p[0] + step[0], p[1] + step[1], p[2] + step[2]})) != transport.rank();
      }
    EXPECT_EQ(all_reduce(transport, crossing, sum<std::int64_t>()), report.edge_cut);
  });
}

TEST(Decompose, as_many_ranks_as_blocks) {
  run_in_process(8, [&](Transport& transport) {
    SetupReport report;
    const auto domain = make_domain(transport, box({0, 0, 0}, {10, 10, 10}), {}, 1, report);
    EXPECT_EQ(report.blocks, 8);
    EXPECT_EQ(report.sites, 1000);
    EXPECT_FALSE(domain.sites.empty());
    expect_consistent(transport, domain);
  });
}

TEST(Decompose, a_domain_holds_its_sites_and_cuts_and_no_more) {
  run_in_process(3, [&](Transport& transport) {
    SetupReport report;
    const auto domain = make_domain(transport, vessel(), openings, 0.04, report);
    EXPECT_EQ(domain.sites.capacity(), domain.sites.size());
    EXPECT_EQ(domain.fluid.capacity(), domain.fluid.size());
    EXPECT_EQ(domain.cuts.capacity(), domain.cuts.size());
  });
}
