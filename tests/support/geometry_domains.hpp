// SPDX-License-Identifier: BSD-3-Clause
//
// Properties of a voxelised vessel, for tests.
#pragma once

#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <unordered_map>
#include <vector>

#include "geometry/voxelise.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::geometry::test {

inline std::uint64_t mixed(std::uint64_t h) {
  h = (h ^ (h >> 30U)) * 0xBF58476D1CE4E5B9U;
  h = (h ^ (h >> 27U)) * 0x94D049BB133111EBU;
  return h ^ (h >> 31U);
}

/// A hash of all sites with their links and cuts, independent of the owners. Collective.
inline std::uint64_t fingerprint(Transport& transport, const Domain& domain) {
  std::uint64_t sum = 0;
  auto cut = domain.cuts.begin();
  for (std::size_t i = 0; i < domain.sites.size(); ++i) {
    auto h = mixed(static_cast<std::uint64_t>(domain.grid.site_id(domain.sites[i]))) ^ mixed(domain.fluid[i]);
    for (; cut != domain.cuts.end() && cut->site == i; ++cut)
      h = mixed(h ^ mixed(cut->link * 65536U + static_cast<std::uint16_t>(cut->opening)) ^
                std::bit_cast<std::uint32_t>(cut->distance));
    sum += mixed(h);
  }
  EXPECT_TRUE(cut == domain.cuts.end());
  return all_reduce(transport, sum, weft::sum<std::uint64_t>());
}

/// Invariants of any domain: the order, each link is fluid or cut, neighbours agree, owners are known.
inline void expect_consistent(Transport& transport, const Domain& domain) {
  const auto& grid = domain.grid;
  std::unordered_map<std::int64_t, std::uint32_t> mine;
  mine.reserve(domain.sites.size());
  std::size_t cut = 0;
  std::int64_t wrong = 0;
  for (std::size_t i = 0; i < domain.sites.size(); ++i) {
    const auto& p = domain.sites[i];
    if (i > 0) {
      const auto& q = domain.sites[i - 1];
      wrong += std::pair(grid.block_id(q), grid.site_id(q)) >= std::pair(grid.block_id(p), grid.site_id(p));
    }
    mine[grid.site_id(p)] = domain.fluid[i];
    wrong += domain.owner.at(grid.block_id(p)) != transport.rank();
    for (int link = 0; link < 27; ++link) {
      if (link == link_index(0, 0, 0)) {
        wrong += (domain.fluid[i] >> 13U) & 1U;
        continue;
      }
      if (((domain.fluid[i] >> link) & 1U) != 0) continue;
      const bool there = cut < domain.cuts.size() && domain.cuts[cut].site == i && domain.cuts[cut].link == link;
      wrong += !there || !(domain.cuts[cut].distance > 0) || domain.cuts[cut].distance > 1 ||
               domain.cuts[cut].opening < Cut::wall ||
               domain.cuts[cut].opening >= static_cast<int>(domain.openings.size());
      ++cut;
    }
  }
  wrong += cut != domain.cuts.size();
  for (std::size_t i = 0; i < domain.sites.size(); ++i)
    for (int link = 0; link < 27; ++link) {
      if (((domain.fluid[i] >> link) & 1U) == 0) continue;
      const auto step = link_offset(link);
      const auto& p = domain.sites[i];
      const Position q{p[0] + step[0], p[1] + step[1], p[2] + step[2]};
      const auto owner = domain.owner.find(grid.block_id(q));
      if (owner == domain.owner.end()) {
        ++wrong;
      } else if (owner->second == transport.rank()) {
        const auto other = mine.find(grid.site_id(q));
        wrong += other == mine.end() || ((other->second >> (26 - link)) & 1U) == 0;
      }
    }
  EXPECT_EQ(wrong, 0) << "on rank " << transport.rank();
}

/// The domain on one rank.
inline Domain voxelise(const Surface& surface, const std::vector<Opening>& openings, double voxel,
                       SetupReport& report) {
  Domain domain;
  run_in_process(1, [&](Transport& transport) {
    domain = make_domain(transport, surface, openings, voxel, report);
    expect_consistent(transport, domain);
  });
  return domain;
}

/// The message of the InputError that make_domain throws.
inline std::string refusal(const Surface& surface, const std::vector<Opening>& openings, double voxel, int ranks = 1) {
  std::vector<std::string> messages(static_cast<std::size_t>(ranks));
  run_in_process(ranks, [&](Transport& transport) {
    SetupReport report;
    try {
      make_domain(transport, surface, openings, voxel, report);
    } catch (const InputError& e) {
      EXPECT_TRUE(e.everywhere());
      messages[static_cast<std::size_t>(transport.rank())] = e.what();
    }
  });
  for (const auto& message : messages) EXPECT_EQ(message, messages.front()) << "all ranks say the same";
  return messages.front();
}

}  // namespace weft::geometry::test
