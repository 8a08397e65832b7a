// SPDX-License-Identifier: BSD-3-Clause
#include "geometry/detail/divide_share.hpp"

#include <algorithm>

#include "geometry/detail/components.hpp"
#include "geometry/detail/decompose.hpp"
#include "weft/clock.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::geometry::detail {

namespace {
std::int64_t total(Transport& transport, std::int64_t mine) { return all_reduce(transport, mine, sum<std::int64_t>()); }
}  // namespace

std::vector<std::int64_t> sites_at_openings(Transport& transport, const Share& share, std::size_t openings) {
  std::vector<std::int64_t> sites(openings, 0);
  for (std::size_t i = 0; i < share.cuts.size();) {
    const std::uint32_t site = share.cuts[i].site;
    std::vector<std::int16_t> seen;  // rarely more than one
    for (; i < share.cuts.size() && share.cuts[i].site == site; ++i) {
      const auto opening = share.cuts[i].opening;
      if (opening == Cut::wall || std::find(seen.begin(), seen.end(), opening) != seen.end()) continue;
      seen.push_back(opening);
      ++sites[static_cast<std::size_t>(opening)];
    }
  }
  for (auto& n : sites) n = total(transport, n);
  return sites;
}

void divide_share(Transport& transport, const Share& share, const Tiling& tiling, double start, Domain& domain,
                  SetupReport& report) {
  std::vector<std::uint8_t> keep(share.runs.size(), 1);
  if (!domain.openings.empty()) keep = connected_to_openings(transport, share, tiling, domain.grid);
  const double voxelised = now_seconds();
  decompose(transport, {share, keep, tiling, domain.grid}, domain, report);

  report.sites = domain.global_sites;
  report.dropped_sites = total(transport, static_cast<std::int64_t>(share.fluid.size())) - domain.global_sites;
  report.voxelise_seconds = all_reduce(transport, voxelised - start, maximum<double>());
  report.decompose_seconds = all_reduce(transport, now_seconds() - voxelised, maximum<double>());
}

}  // namespace weft::geometry::detail
