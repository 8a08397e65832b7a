// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/detail/wall_links.hpp"

namespace weft::lattice::detail {

WallLinks wall_links(const geometry::Domain& domain, const SiteOrder& order, const Links& links,
                     const VelocityTable& set, std::size_t width) {
  WallLinks result;
  std::int64_t block = -1;  // of the last link
  for (const auto& cut : domain.cuts) {
    const int direction = set.direction(cut.link);
    if (cut.opening != geometry::Cut::wall || direction <= 0) continue;
    const auto out = static_cast<std::size_t>(direction), in = opposite(out);
    if ((domain.fluid[cut.site] >> set.link[in] & 1U) == 0) continue;
    if (const auto of_site = domain.grid.block_id(domain.sites[cut.site]); of_site != block) {
      if (!result.links.empty()) result.block_end.push_back(static_cast<std::uint32_t>(result.links.size()));
      block = of_site;
    }
    const auto slot = order.slot[cut.site];
    // Where the site's own slot `out` is, and where it meets the neighbour along `in`: what arrives along out lies in
    // the one before even steps, in the other before odd ones; what left along in the other way around.
    const auto at_site = static_cast<std::int32_t>(out * links.stride + slot),
               at_neighbour = links.place(slot, in, width);
    const auto rest = static_cast<std::int32_t>(slot);
    const float q = cut.distance;
    if (q < 0.5F)
      result.links.push_back({links.place(slot, out, width), {at_site, at_neighbour}, rest, 2 * q});
    else
      result.links.push_back({links.place(slot, out, width), {at_neighbour, at_site}, rest, 1 / (2 * q)});
  }
  if (!result.links.empty()) result.block_end.push_back(static_cast<std::uint32_t>(result.links.size()));
  return result;
}

}  // namespace weft::lattice::detail
