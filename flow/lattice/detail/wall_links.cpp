// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/detail/wall_links.hpp"

#include <limits>
#include <utility>

#include "weft/error.hpp"

namespace weft::lattice::detail {

namespace {

std::int32_t offset_of(const Links& links, std::size_t direction, std::size_t slot) {
  return static_cast<std::int32_t>(direction * links.stride + slot);
}

class WallBuilder {
 public:
  WallBuilder(const geometry::Domain& domain, const SiteOrder& order, const Links& links, const VelocityTable& set)
      : domain_(domain), order_(order), links_(links), set_(set), lookup_(domain) {}

  WallLinks build() {
    result_.peers.resize(links_.peers.size());
    peer_links_.resize(links_.peers.size());
    std::int64_t block = -1;  // of the last link
    for (const auto& cut : domain_.cuts) {
      const int direction = set_.direction(cut.link);
      if (cut.opening != geometry::Cut::wall || direction <= 0) continue;
      const auto out = static_cast<std::size_t>(direction);
      if (!is_fluid(cut.site, opposite(out))) continue;
      if (const auto of_site = domain_.grid.block_id(domain_.sites[cut.site]); of_site != block) {
        if (!result_.links.empty()) end_block();
        block = of_site;
      }
      add(cut, out);
    }
    if (!result_.links.empty()) end_block();
    number_places();
    result_.links.shrink_to_fit();
    return std::move(result_);
  }

 private:
  bool is_fluid(std::size_t site, std::size_t i) const { return (domain_.fluid[site] >> set_.link[i] & 1U) != 0; }
  // Links::place() of a site, mostly without its search.
  std::int32_t place(std::size_t site, std::size_t j) {
    const auto slot = order_.slot[site];
    if (!is_fluid(site, j)) return offset_of(links_, opposite(j), slot);
    const auto neighbour = find(site, j);
    return neighbour == SiteLookup::none ? links_.place(slot, j) : offset_of(links_, j, order_.slot[neighbour]);
  }
  std::uint32_t find(std::size_t site, std::size_t j) {
    const auto& x = domain_.sites[site];
    const auto& c = set_.velocity[j];
    return lookup_.find({x[0] + c[0], x[1] + c[1], x[2] + c[2]}, cursors_[j]);
  }
  void end_block() { result_.block_end.push_back(static_cast<std::uint32_t>(result_.links.size())); }

  void add(const geometry::Cut& cut, std::size_t out) {
    const auto in = opposite(out);
    const auto slot = order_.slot[cut.site];
    const auto b = find(cut.site, in);
    const auto at_site = offset_of(links_, out, slot),
               at_neighbour = b == SiteLookup::none ? links_.place(slot, in) : offset_of(links_, in, order_.slot[b]);
    const auto number = static_cast<std::uint32_t>(result_.links.size());
    LinkOffsets behind{};
    if (b == SiteLookup::none) {
      ask(static_cast<std::size_t>(at_neighbour) - links_.directions * links_.stride, number);
    } else {
      // The population that left b along `in`: with a neighbour after odd steps, with b itself after even ones.
      behind = {place(b, in), offset_of(links_, out, order_.slot[b])};
      if (!is_fluid(b, in)) {
        result_.copied.push_back(behind);
        copy_links_.push_back(number);
      }
    }
    result_.links.push_back(
        {offset_of(links_, in, slot), {at_site, at_neighbour}, behind, static_cast<std::int32_t>(slot), cut.distance});
  }

  void ask(std::size_t ghost, std::uint32_t number) {
    std::size_t p = links_.peers.size() - 1;
    while (links_.peers[p].first_ghost > ghost) --p;
    result_.peers[p].asked.push_back(static_cast<std::uint32_t>(ghost - links_.peers[p].first_ghost));
    peer_links_[p].push_back(number);
  }

  void number_places() {
    std::size_t place = result_.first = links_.values();
    const auto number = [&](const std::vector<std::uint32_t>& links) {
      for (const auto k : links) {
        if (place > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
          throw InputError("One rank has too many sites and wall links for 32-bit indices. Use more ranks.");
        result_.links[k].behind.fill(static_cast<std::int32_t>(place++));
      }
    };
    for (std::size_t p = 0; p < result_.peers.size(); ++p) {
      result_.peers[p].first = place;
      number(peer_links_[p]);
    }
    result_.first_copy = place;
    number(copy_links_);
    result_.end = place;
  }

  const geometry::Domain& domain_;
  const SiteOrder& order_;
  const Links& links_;
  const VelocityTable& set_;
  const SiteLookup lookup_;
  std::array<SiteLookup::Cursor, most_directions> cursors_{};  ///< one for each direction
  std::vector<std::vector<std::uint32_t>> peer_links_;         ///< indices of the links whose b is a peer's
  std::vector<std::uint32_t> copy_links_;                      ///< of those whose f*_in(b) is copied
  WallLinks result_;
};

}  // namespace

// A value to be sent is, before it leaves, in the slot of the direction against which it arrived (Links::Peer::near).
void WallLinks::grant(const Links& links, std::size_t peer, std::span<const std::uint32_t> asked) {
  auto& sent = peers[peer].sent;
  sent.clear();
  for (const auto k : asked) {
    const auto near = static_cast<std::size_t>(links.peers[peer].near.at(k));
    const auto slot = near % links.stride, in = near / links.stride;
    sent.push_back({links.place(slot, in), offset_of(links, opposite(in), slot)});
  }
}

std::size_t WallLinks::bytes() const {
  std::size_t sum =
      links.size() * sizeof(WallLink) + block_end.size() * sizeof(std::uint32_t) + copied.size() * sizeof(LinkOffsets);
  for (const auto& p : peers) sum += p.asked.size() * sizeof(std::uint32_t) + p.sent.size() * sizeof(LinkOffsets);
  return sum;
}

WallLinks wall_links(const geometry::Domain& domain, const SiteOrder& order, const Links& links,
                     const VelocityTable& set) {
  return WallBuilder(domain, order, links, set).build();
}

}  // namespace weft::lattice::detail
