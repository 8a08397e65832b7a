// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "flow/extracts/wall_fit.hpp"
#include "flow/vessel/wall_sites.hpp"
#include "geometry/domain.hpp"
#include "lattice/sparse_lattice.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// Velocity and stress of a site, lattice units.
struct SiteFlow {
  std::array<double, 3> velocity;
  std::array<float, 6> stress;  ///< xx yy zz, xy xz yz
};

/// The sites near points of the wall, including those of other ranks, and their velocity and stress after a step.
///
/// A *place* is the index of a site of this rank (below Domain::sites.size()) or of a site that another rank sends.
/// Only ranks with sites within a fit's reach of each other's walls communicate.
class NearWall {
 public:
  /// The domain is borrowed. `walls`: this rank's points of the wall. Collective.
  NearWall(Transport& world, const geometry::Domain& domain, std::span<const WallSite> walls);

  /// The sites for a fit at this point: within its largest reach, not too near to the wall, and connected to the wall's
  /// site by fluid links within that reach, which excludes neighbouring vessels. In an order that does not depend on
  /// the ranks.
  std::vector<WallFit::Site> around(const WallSite& wall) const;
  /// Frees the data that only around() needs.
  void seal();

  /// Takes the stored values of the last step, of this rank and its neighbours. Collective among ranks that share
  /// walls.
  void update(const lattice::SparseLattice& lattice);
  /// The values of a place at the last update.
  SiteFlow at(std::uint32_t place) const;

 private:
  static constexpr std::uint32_t none = 0xffffffff;
  using Block = std::array<std::uint32_t, geometry::block_width * geometry::block_width * geometry::block_width>;
  struct Sent {
    int rank;
    std::vector<std::uint32_t> sites;  // indices in Domain::sites
    std::vector<SiteFlow> values;
    SendPart part{};
  };
  /// A site of another rank, as sent by it.
  struct Described {
    std::int64_t id;
    std::uint32_t fluid;
    bool is_usable;
  };

  std::vector<std::vector<geometry::Position>> wanted(std::span<const WallSite> walls) const;
  std::vector<int> owners(const std::vector<std::int64_t>& blocks) const;
  void add(const geometry::Position& position, std::uint32_t place);
  std::uint32_t index_of(const geometry::Position& position) const;
  std::uint32_t fluid_of(std::uint32_t place) const;

  Transport& world_;
  const geometry::Domain& domain_;
  std::unordered_map<std::int64_t, Block> places_;  // by block
  std::vector<bool> usable_;                        // by place
  std::vector<std::uint32_t> fluid_;                // of others' places
  std::vector<Sent> sent_;
  std::vector<SiteFlow> received_;  // of others' places
  std::unique_ptr<Exchange> exchange_;
  lattice::SparseLattice::Fields fields_;
  lattice::SparseLattice::StressFields stress_;
};

}  // namespace weft::flow
