// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "lattice/sparse_lattice.hpp"
#include "tests/support/shape_domain.hpp"

namespace weft::test {

/// Density and velocity of a site.
struct Fluid {
  double density;
  std::array<double, 3> velocity;
  bool operator==(const Fluid&) const = default;
};

/// N ranks of a sparse lattice in one process: outgoing values are copied to the peer's incoming ones.
class LatticeRanks {
 public:
  LatticeRanks(const Shape& shape, int ranks, const lattice::Parameters& parameters, const Deal& deal = deal_in_turn)
      : domains_(shape, ranks, deal) {
    for (int r = 0; r < ranks; ++r) ranks_.emplace_back(domains_.all()[std::size_t(r)], r, parameters);
    for (int r = 0; r < ranks; ++r) {
      const auto peers = ranks_[std::size_t(r)].peers();
      for (std::size_t k = 0; k < peers.size(); ++k) {
        auto& other = ranks_[std::size_t(peers[k].rank)];
        const auto theirs = other.peers();
        const auto me = std::ranges::find(theirs, r, &lattice::SparseLattice::Peer::rank);
        other.grant_wall_requests(std::size_t(me - theirs.begin()), ranks_[std::size_t(r)].wall_requests(k));
      }
    }
  }

  /// One step; the interior in pieces of `cut` sites.
  static lattice::Diagnostics diagnostics_of(bool observe) {
    return observe ? lattice::Diagnostics::fields : lattice::Diagnostics::nothing;
  }
  void step(bool observe = false, std::size_t cut = SIZE_MAX) { step(diagnostics_of(observe), cut); }
  void step(lattice::Diagnostics diagnostics, std::size_t cut = SIZE_MAX) {
    for (auto& r : ranks_) r.update_edge(diagnostics);
    exchange();
    for (auto& r : ranks_) {
      const std::size_t n = r.interior_sites();
      for (std::size_t k = 0; k < n; k += std::min(cut, n - k))
        r.update_interior(k, k + std::min(cut, n - k), diagnostics);
      r.finish();
    }
  }

  void steps(int n) {
    for (int k = 0; k < n; ++k) step();
  }

  void use(const lattice::Kernel& kernel) {
    for (auto& r : ranks_) r.use(kernel);
  }

  void set_opening(std::size_t opening, const lattice::OpeningState& state) {
    for (auto& r : ranks_) r.set_opening(opening, state);
  }

  template <class Density, class Velocity>
  void initialise(const Density& density, const Velocity& velocity) {
    for (auto& r : ranks_) r.initialise(density, velocity);
  }

  /// Copies the state of other ranks of the same shape.
  void restore(const LatticeRanks& other) {
    std::map<std::int64_t, std::pair<std::size_t, std::size_t>> place;  // by site: rank and index
    for (std::size_t r = 0; r < other.ranks_.size(); ++r) {
      const auto& domain = other.domains()[r];
      for (std::size_t k = 0; k < domain.sites.size(); ++k) place[domain.grid.site_id(domain.sites[k])] = {r, k};
    }
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      const auto& domain = domains()[r];
      for (std::size_t s = 0; s < domain.sites.size(); ++s) {
        const auto [rank, k] = place.at(domain.grid.site_id(domain.sites[s]));
        const auto& from = other.ranks_[rank];
        ranks_[r].restore(s, from.state(k));
        if (from.is_at_opening(k)) ranks_[r].restore_opening(s, from.opening_state(k));
      }
    }
  }

  /// Of the last observed step, on all ranks.
  lattice::Observation observation() const {
    auto sum = lattice::nothing_seen();
    for (const auto& r : ranks_) sum = combine(sum, r.observation());
    return sum;
  }

  /// Of the last step, on all ranks.
  std::vector<double> inflow() const {
    std::vector<double> sum(domains_.all().front().openings.size());
    for (const auto& r : ranks_)
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += r.inflow()[k];
    return sum;
  }

  std::vector<std::int64_t> inflow_ticks() const {
    std::vector<std::int64_t> sum(domains_.all().front().openings.size());
    for (const auto& r : ranks_)
      for (std::size_t k = 0; k < sum.size(); ++k) sum[k] += r.inflow_ticks()[k];
    return sum;
  }

  /// The observation of the last observed step, by site_id.
  std::map<std::int64_t, Fluid> fields() const {
    std::map<std::int64_t, Fluid> all;
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      const auto& domain = domains_.all()[r];
      const auto density = ranks_[r].density();
      const auto velocity = ranks_[r].velocity();
      for (std::size_t s = 0; s < density.size(); ++s)
        all[domain.grid.site_id(domain.sites[s])] = {density[s], velocity[s]};
    }
    return all;
  }

  /// f(position, fluid) for each site.
  template <class Function>
  void for_each(Function&& f) const {
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      const auto density = ranks_[r].density();
      const auto velocity = ranks_[r].velocity();
      for (std::size_t s = 0; s < density.size(); ++s) f(domains_.all()[r].sites[s], Fluid{density[s], velocity[s]});
    }
  }

  std::vector<lattice::SparseLattice>& ranks() { return ranks_; }
  const std::vector<lattice::SparseLattice>& ranks() const { return ranks_; }
  const std::vector<geometry::Domain>& domains() const { return domains_.all(); }

 private:
  void exchange() {
    for (int to = 0; to < int(ranks_.size()); ++to) {
      for (auto& here : ranks_[std::size_t(to)].peers()) {
        bool found = false;
        for (auto& there : ranks_[std::size_t(here.rank)].peers()) {
          if (there.rank != to) continue;
          if (there.outgoing.size() != here.incoming.size()) throw std::logic_error("sizes differ");
          std::copy(there.outgoing.begin(), there.outgoing.end(), here.incoming.begin());
          found = true;
        }
        if (!found) throw std::logic_error("one-sided peers");
      }
    }
  }

  ShapeDomains domains_;
  std::vector<lattice::SparseLattice> ranks_;
};

}  // namespace weft::test
