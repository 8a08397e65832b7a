// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/sparse_lattice.hpp"

#include <algorithm>
#include <cmath>

#include "lattice/detail/links.hpp"
#include "lattice/detail/opening_sites.hpp"
#include "lattice/detail/rates.hpp"
#include "lattice/detail/site_arrays.hpp"
#include "lattice/detail/site_order.hpp"
#include "lattice/detail/velocity_sets.hpp"
#include "weft/error.hpp"

namespace weft::lattice {

using detail::SiteArrays;
using detail::SlotRange;

namespace {

constexpr std::size_t width_of(Precision p) {
  return p == Precision::fp32 ? detail::group_width<float> : detail::group_width<double>;
}

const Parameters& checked(const Parameters& p) {
  detail::check(detail::Relaxation::of(p), p.velocities);
  if (p.velocities == VelocitySet::d2q9)
    throw InputError(
        "The velocity set of a vessel is D2Q9 (a vessel has three dimensions). Use D3Q15, D3Q19 or D3Q27.");
  if (p.advection == Advection::corrected && !can_correct_advection(p.velocities, p.collision))
    throw InputError("Corrected advection was requested for " + std::string(name_of(p.velocities)) +
                     " and the collision " + std::string(name_of(p.collision)) +
                     " (only the cumulant collision of D3Q27 has it). Use these.");
  if (p.advection == Advection::corrected && p.storage != Storage::full)
    throw InputError("Corrected advection was requested with the storage " + std::string(name_of(p.storage)) +
                     " (its corrections are too small for 16 bits). Use the storage full.");
  return p;
}

}  // namespace

struct SparseLattice::State {
  State(const geometry::Domain& domain, int rank, const Parameters& p)
      : parameters(checked(p)), set(detail::table_of(p.velocities)), domain_(domain), width(width_of(p.precision)),
        order(detail::order_sites(domain, rank, set, width, p.sponge)),
        links(detail::make_links(domain, rank, order, set, width, bytes_of(p.precision, p.storage))),
        opening_sites(domain, order, set, p.sponge, compressible), walls(walls_of(domain)),
        arrays(detail::make_site_arrays(p, links, std::max(walls.end, links.values()))), outgoing(links.peers.size()),
        incoming(links.peers.size()), inflow(domain.openings.size()), finished_ticks(domain.openings.size()) {
    for (auto& v : coarse) v.assign(order.slots, 0);
    size_buffers();
  }

  detail::DiagnosticsTask diagnostics_task(Diagnostics diagnostics);
  void update(const SlotRange& range, std::size_t first, std::size_t last, Diagnostics diagnostics);
  detail::WallLinks walls_of(const geometry::Domain& domain) const {
    if (parameters.wall != Wall::bouzidi) return {};
    return detail::wall_links(domain, order, links, set);
  }
  void size_buffers();
  const detail::WallLinks::Peer* walls_of(std::size_t peer) const {
    return walls.peers.empty() ? nullptr : &walls.peers[peer];
  }
  const SiteArrays::Arriving& arriving(std::size_t slot) const;
  detail::OpeningSites::Moments moments(std::size_t slot) const;
  std::int64_t first_bad_site() const;
  void keep_fields();
  std::array<double, 3> kept_velocity(std::size_t slot) const;

  Parameters parameters;
  const double compressible = detail::Relaxation::of(parameters).compressible();
  const detail::VelocityTable& set;
  const geometry::Domain& domain_;
  const std::size_t width;  // of a group
  detail::SiteOrder order;
  detail::Links links;
  detail::OpeningSites opening_sites;
  struct Watched {
    std::vector<std::uint32_t> slots, places;  ///< of its sites, and where SiteArrays keeps their density
  };
  std::vector<Watched> watched;
  detail::WallLinks walls;  ///< walls that are not half-way
  std::unique_ptr<SiteArrays> arrays;
  std::vector<std::vector<std::byte>> outgoing, incoming;  ///< by peer: in the order of the ghosts, then for walls
  std::array<std::vector<float>, 3> coarse;  ///< velocity per slot, of the last step that sampled its change
  bool has_fields = false;                   ///< a step has stored fields; then they replace `coarse`
  std::vector<double> density;
  std::array<std::vector<double>, 3> velocity;
  std::array<std::vector<float>, 6> stress;  ///< empty before a step has stored it
  Observation current = nothing_seen(), finished = nothing_seen();
  detail::ExcessSum excess{};  ///< of `current`
  bool looking = false;
  std::vector<double> inflow;
  std::vector<std::int64_t> finished_ticks;
  mutable std::size_t cached_group = SIZE_MAX;  ///< of `cache`
  mutable SiteArrays::Arriving cache{};
  mutable SiteArrays::Corrections corrections{};
};

void SparseLattice::State::size_buffers() {
  for (std::size_t k = 0; k < links.peers.size(); ++k) {
    const auto* const of_walls = walls_of(k);
    const std::size_t crossing = links.peers[k].near.size(), sent = of_walls == nullptr ? 0 : of_walls->sent.size(),
                      asked = of_walls == nullptr ? 0 : of_walls->asked.size();
    const std::size_t extra = arrays->extra_numbers(links.peers[k]);
    outgoing[k].resize((crossing + sent + extra) * arrays->element_bytes());
    incoming[k].resize((crossing + asked + extra) * arrays->element_bytes());
  }
}

detail::DiagnosticsTask SparseLattice::State::diagnostics_task(Diagnostics diagnostics) {
  const auto& g = parameters.force;
  detail::DiagnosticsTask task{};
  for (std::size_t d = 0; d < 3; ++d) task.half_force[d] = g[d] / 2;
  task.compressible = compressible;
  task.seen = &current;
  task.excess = &excess;
  if (diagnostics < Diagnostics::change) return task;
  for (std::size_t k = 0; k < stress.size() && diagnostics >= Diagnostics::stress; ++k)
    task.stress[k] = stress[k].data();
  for (std::size_t d = 0; d < 3; ++d) {
    if (has_fields)
      task.velocity[d] = velocity[d].data();
    else
      task.coarse[d] = coarse[d].data();
  }
  if (has_fields) task.density = density.data();
  return task;
}

void SparseLattice::State::keep_fields() {
  if (has_fields) return;
  has_fields = true;
  density.resize(order.slots, 1);
  for (std::size_t d = 0; d < 3; ++d) {
    velocity[d].assign(coarse[d].begin(), coarse[d].end());
    coarse[d] = {};
  }
}

std::array<double, 3> SparseLattice::State::kept_velocity(std::size_t slot) const {
  if (has_fields) return {velocity[0][slot], velocity[1][slot], velocity[2][slot]};
  return {coarse[0][slot], coarse[1][slot], coarse[2][slot]};
}

// Sites [first, last) of a range, by the groups that begin there.
void SparseLattice::State::update(const SlotRange& range, std::size_t first, std::size_t last,
                                  Diagnostics diagnostics) {
  const auto task = diagnostics_task(diagnostics);
  const auto* const seen = diagnostics == Diagnostics::nothing ? nullptr : &task;
  const auto begin_of = [&](std::size_t site) { return (site + width - 1) / width * width; };
  const std::size_t plain = range.plain_end - range.plain;
  arrays->update(range.plain + begin_of(std::min(first, plain)), range.plain + begin_of(std::min(last, plain)),
                 range.plain_end, seen, nullptr);
  arrays->update(range.openings + begin_of(std::max(first, plain) - plain),
                 range.openings + begin_of(std::max(last, plain) - plain), range.openings_end, seen, &opening_sites);
}

const SiteArrays::Arriving& SparseLattice::State::arriving(std::size_t slot) const {
  if (slot / width != cached_group) {
    cached_group = slot / width;
    arrays->read(cached_group * width, cache);
    arrays->read_corrections(cached_group * width, corrections);
  }
  return cache;
}

detail::OpeningSites::Moments SparseLattice::State::moments(std::size_t slot) const {
  const auto& f = arriving(slot);
  const auto l = slot % width;
  double excess = 0;
  std::array<double, 3> u{};
  for (std::size_t i = 0; i < set.velocity.size(); ++i) {
    excess += f[i][l];
    for (std::size_t d = 0; d < 3; ++d) u[d] += set.velocity[i][d] * f[i][l];
  }
  for (std::size_t d = 0; d < 3; ++d) u[d] = u[d] / (1 + compressible * excess) + parameters.force[d] / 2;
  return {1 + excess, u};
}

std::int64_t SparseLattice::State::first_bad_site() const {
  if (arrays->bad_slots.empty()) return -1;
  std::vector<bool> is_bad(order.slots);
  for (const auto slot : arrays->bad_slots) is_bad[slot] = true;
  std::int64_t first = -1;
  for (std::size_t k = 0; k < order.slot.size(); ++k)
    if (is_bad[order.slot[k]]) {
      const auto id = domain_.grid.site_id(domain_.sites[k]);
      if (first < 0 || id < first) first = id;
    }
  return first;
}

SparseLattice::SparseLattice(const geometry::Domain& domain, int rank, const Parameters& parameters)
    : state_(std::make_unique<State>(domain, rank, parameters)) {}
SparseLattice::~SparseLattice() = default;
SparseLattice::SparseLattice(SparseLattice&&) noexcept = default;
SparseLattice& SparseLattice::operator=(SparseLattice&&) noexcept = default;

std::size_t SparseLattice::sites() const { return state_->order.slot.size(); }
std::size_t SparseLattice::interior_sites() const { return state_->order.interior.sites(); }
std::size_t SparseLattice::directions() const { return state_->set.velocity.size(); }

Wall SparseLattice::wall() const { return state_->parameters.wall; }

std::vector<SparseLattice::Peer> SparseLattice::peers() const {
  std::vector<Peer> result;
  auto& s = *state_;
  for (std::size_t k = 0; k < s.links.peers.size(); ++k)
    result.push_back({s.links.peers[k].rank, s.outgoing[k], s.incoming[k]});
  return result;
}

std::vector<std::uint32_t> SparseLattice::wall_requests(std::size_t peer) const {
  const auto* const of_walls = state_->walls_of(peer);
  return of_walls == nullptr ? std::vector<std::uint32_t>{} : of_walls->asked;
}

void SparseLattice::grant_wall_requests(std::size_t peer, std::span<const std::uint32_t> requests) {
  auto& s = *state_;
  if (s.walls.peers.empty()) return;
  s.walls.grant(s.links, peer, requests);
  s.size_buffers();
}

std::size_t SparseLattice::bytes() const {
  const auto& s = *state_;
  std::size_t buffers = 0;
  for (const auto& b : s.outgoing) buffers += b.size();
  for (const auto& b : s.incoming) buffers += b.size();
  return s.arrays->bytes() + s.links.bytes() + s.opening_sites.bytes() + s.walls.bytes() + buffers +
         (s.density.size() + 3 * s.velocity[0].size()) * sizeof(double) +
         (3 * s.coarse[0].size() + 6 * s.stress[0].size()) * sizeof(float) +
         s.order.slot.size() * sizeof(s.order.slot[0]);
}

void SparseLattice::initialise(const std::function<double(const geometry::Position&)>& density,
                               const std::function<std::array<double, 3>(const geometry::Position&)>& velocity) {
  auto& s = *state_;
  s.arrays->is_odd = false;
  s.arrays->corrections_given = true;
  s.cached_group = SIZE_MAX;
  s.has_fields = false;
  s.density = {};
  s.velocity = {};
  s.stress = {};
  for (auto& v : s.coarse) v.assign(s.order.slots, 0);
  for (std::size_t k = 0; k < s.order.slot.size(); ++k) {
    const auto slot = s.order.slot[k];
    const auto& p = s.domain_.sites[k];
    const detail::OpeningSites::Moments m{density(p), velocity(p)};
    const double inertia = 1 + s.compressible * (m.density - 1);
    for (std::size_t i = 0; i < s.set.velocity.size(); ++i)
      s.arrays->put(
          slot, i,
          detail::equilibrium_excess(s.set, i, {inertia, m.velocity}) + s.set.weight[i] * (m.density - inertia));
    s.arrays->put_correction(slot, {});
    for (std::size_t d = 0; d < 3; ++d) s.coarse[d][slot] = static_cast<float>(m.velocity[d]);
    if (!s.opening_sites.contains(slot)) continue;
    s.opening_sites.set_previous(slot, m);
    s.opening_sites.set_stress(slot, {});
  }
}

void SparseLattice::set_opening(std::size_t opening, const OpeningState& state) {
  state_->opening_sites.set(opening, state);
}
std::vector<SparseLattice::OpeningLink> SparseLattice::opening_links(std::size_t opening) const {
  return state_->opening_sites.links(opening);
}
void SparseLattice::set_opening_profiles(std::size_t opening, std::span<const double> values) {
  state_->opening_sites.set_profiles(opening, values);
}
void SparseLattice::set_opening_shear(std::size_t opening, std::span<const double> values) {
  state_->opening_sites.set_shear(opening, values);
}
void SparseLattice::set_opening_amplitudes(std::size_t opening, std::span<const double> amplitudes) {
  state_->opening_sites.set_amplitudes(opening, amplitudes);
}

void SparseLattice::set_tau(double tau) {
  if (state_->parameters.viscosity) return;
  auto relaxation = detail::Relaxation::of(state_->parameters);
  relaxation.tau = tau;
  detail::check(relaxation, state_->parameters.velocities);
  state_->parameters.tau = tau;
  state_->arrays->set(relaxation);
}

void SparseLattice::use(const Kernel& kernel) { state_->arrays->use(kernel); }

SiteState SparseLattice::state(std::size_t site) const {
  const auto& s = *state_;
  const auto slot = s.order.slot[site];
  const auto& f = s.arriving(slot);
  SiteState result{.velocity = s.kept_velocity(slot), .density = s.has_fields ? s.density[slot] : NAN};
  for (std::size_t i = 0; i < s.set.velocity.size(); ++i) result.arriving[i] = f[i][slot % s.width];
  for (std::size_t d = 0; d < 3; ++d) result.correction[d] = static_cast<double>(s.corrections[d][slot % s.width]);
  return result;
}

OpeningSiteState SparseLattice::opening_state(std::size_t site) const {
  const auto slot = state_->order.slot[site];
  const auto& m = state_->opening_sites.previous(slot);
  return {m.density, m.velocity, state_->opening_sites.stress(slot)};
}

void SparseLattice::restore(std::size_t site, const SiteState& state) {
  auto& s = *state_;
  const auto slot = s.order.slot[site];
  s.arrays->is_odd = false;
  s.arrays->corrections_given = true;
  s.cached_group = SIZE_MAX;
  for (std::size_t i = 0; i < s.set.velocity.size(); ++i) s.arrays->put(slot, i, state.arriving[i]);
  s.arrays->put_correction(slot, state.correction);
  if (!std::isnan(state.density)) s.keep_fields();
  for (std::size_t d = 0; d < 3; ++d) {
    if (s.has_fields)
      s.velocity[d][slot] = state.velocity[d];
    else
      s.coarse[d][slot] = static_cast<float>(state.velocity[d]);
  }
  if (s.has_fields) s.density[slot] = state.density;
}

void SparseLattice::restore_opening(std::size_t site, const OpeningSiteState& state) {
  const auto slot = state_->order.slot[site];
  state_->opening_sites.set_previous(slot, {state.density, state.velocity});
  state_->opening_sites.set_stress(slot, state.stress);
}

void SparseLattice::restore_observation(const Observation& observation, std::span<const double> inflow) {
  auto& s = *state_;
  s.finished = observation;
  for (std::size_t k = 0; k < s.inflow.size(); ++k) {
    s.inflow[k] = inflow[k];
    s.finished_ticks[k] = std::llround(inflow[k] / inflow_unit);
  }
}

void SparseLattice::update_edge(Diagnostics diagnostics) {
  auto& s = *state_;
  s.looking = diagnostics != Diagnostics::nothing;
  s.current = nothing_seen();
  s.excess = {};
  s.arrays->bad_slots.clear();
  s.opening_sites.start_step();
  if (diagnostics >= Diagnostics::fields) s.keep_fields();
  if (diagnostics >= Diagnostics::stress)
    for (auto& component : s.stress) component.resize(s.order.slots);
  s.update(s.order.edge, 0, s.order.edge.sites(), diagnostics);
  for (std::size_t k = 0; k < s.links.peers.size(); ++k) {
    const auto* const of_walls = s.walls_of(k);
    s.arrays->fill_outgoing(s.links.peers[k],
                            of_walls == nullptr ? std::span<const detail::LinkOffsets>{} : of_walls->sent,
                            s.outgoing[k].data());
  }
}

void SparseLattice::update_interior(std::size_t first, std::size_t last, Diagnostics diagnostics) {
  state_->update(state_->order.interior, first, last, diagnostics);
}

void SparseLattice::finish() {
  auto& s = *state_;
  for (std::size_t k = 0; k < s.links.peers.size(); ++k)
    s.arrays->take_incoming(s.links.peers[k], s.walls_of(k), s.incoming[k].data());
  s.arrays->end_step();
  s.cached_group = SIZE_MAX;
  s.arrays->bounce(s.walls);
  if (s.looking) {
    s.current.bad_site = s.first_bad_site();
    s.current.mass = static_cast<double>(s.domain_.sites.size()) + s.excess.value();
    s.finished = s.current;
  }
  std::ranges::copy(s.opening_sites.inflow(), s.finished_ticks.begin());
  for (std::size_t k = 0; k < s.inflow.size(); ++k)
    s.inflow[k] = static_cast<double>(s.finished_ticks[k]) * inflow_unit;
}

const Observation& SparseLattice::observation() const { return state_->finished; }
std::span<const double> SparseLattice::inflow() const { return state_->inflow; }
std::span<const std::int64_t> SparseLattice::inflow_ticks() const { return state_->finished_ticks; }

bool SparseLattice::is_at_opening(std::size_t site) const {
  return state_->opening_sites.contains(state_->order.slot[site]);
}

double SparseLattice::sponge() const { return state_->parameters.sponge.length; }

std::size_t SparseLattice::watch(std::span<const std::uint32_t> sites) {
  auto& s = *state_;
  const auto width = static_cast<std::uint32_t>(s.width);
  auto& slots = s.watched.emplace_back().slots;
  for (const auto site : sites) slots.push_back(s.order.slot[site]);
  std::vector<std::uint32_t> groups;
  for (const auto& all : s.watched)
    for (const auto slot : all.slots) groups.push_back(slot / width * width);
  std::ranges::sort(groups);
  groups.erase(std::ranges::unique(groups).begin(), groups.end());
  for (auto& all : s.watched) {
    all.places.clear();
    for (const auto slot : all.slots) {
      const auto group = std::ranges::lower_bound(groups, slot / width * width) - groups.begin();
      all.places.push_back(static_cast<std::uint32_t>(group) * width + slot % width);
    }
  }
  s.arrays->watch(std::move(groups), s.width);
  return s.watched.size() - 1;
}

void SparseLattice::seen_density(std::size_t watched, std::span<double> to) const {
  const auto& excess = state_->arrays->watched_excess;
  std::ranges::transform(state_->watched.at(watched).places, to.begin(),
                         [&](std::uint32_t place) { return 1 + excess[place]; });
}

void SparseLattice::density(std::span<const std::uint32_t> sites, std::span<double> to) const {
  const auto& s = *state_;
  constexpr std::size_t ahead = 12;
  const std::size_t lane = s.width - 1;  // the width is a power of 2
  const auto begin_of = [&](std::size_t k) { return s.order.slot[sites[k]] & ~lane; };
  std::array<double, SiteArrays::most_lanes> excess{};
  std::size_t begin = SIZE_MAX, soon = SIZE_MAX;
  for (std::size_t k = 0; k < sites.size(); ++k) {
    if (k + ahead < sites.size() && begin_of(k + ahead) != soon) {
      soon = begin_of(k + ahead);
      s.arrays->prefetch(soon);
    }
    if (begin_of(k) != begin) {
      begin = begin_of(k);
      s.arrays->excess(begin, excess);
    }
    to[k] = 1 + excess[s.order.slot[sites[k]] & lane];
  }
}

double SparseLattice::opening_density(std::size_t site) const {
  return state_->opening_sites.previous(state_->order.slot[site]).density;
}

Entropy SparseLattice::entropy() const {
  const auto& s = *state_;
  Entropy sum;
  for (const auto* range : {&s.order.edge, &s.order.interior}) {
    sum += s.arrays->entropy(range->plain, range->plain_end);
    sum += s.arrays->entropy(range->openings, range->openings_end);
  }
  return sum;
}

SparseLattice::Moments SparseLattice::opening_moments(std::size_t site) const {
  const auto& m = state_->opening_sites.previous(state_->order.slot[site]);
  return {m.density, m.velocity};
}

void SparseLattice::coarse_moments(std::span<CoarseMoments> places) const {
  const auto& s = *state_;
  const double compressible = s.compressible;
  std::array<std::array<double, SiteArrays::most_lanes>, 4> sums{};
  for (const auto& [first, end] : {std::pair{s.order.edge.plain, s.order.edge.plain_end},
                                   {s.order.edge.openings, s.order.edge.openings_end},
                                   {s.order.interior.plain, s.order.interior.plain_end},
                                   {s.order.interior.openings, s.order.interior.openings_end}})
    for (std::size_t x = first; x < end; x += s.width) {
      const auto& f = s.arriving(x);
      sums = {};
      for (std::size_t i = 0; i < s.set.velocity.size(); ++i) {
        const auto& c = s.set.velocity[i];
        for (std::size_t l = 0; l < s.width; ++l) {
          sums[3][l] += f[i][l];
          for (std::size_t d = 0; d < 3; ++d) sums[d][l] += c[d] * f[i][l];
        }
      }
      for (std::size_t l = 0; l < std::min(s.width, end - x); ++l) {
        auto& to = places[x + l];
        to.excess = static_cast<float>(sums[3][l]);
        for (std::size_t d = 0; d < 3; ++d)
          to.velocity[d] = static_cast<float>(sums[d][l] / (1 + compressible * sums[3][l]) + s.parameters.force[d] / 2);
        if (!s.opening_sites.contains(x + l)) continue;
        const auto& m = s.opening_sites.previous(x + l);
        to.excess = static_cast<float>(m.density - 1);
        for (std::size_t d = 0; d < 3; ++d) to.velocity[d] = static_cast<float>(m.velocity[d]);
      }
    }
}

std::size_t SparseLattice::place_count() const { return state_->order.slots; }
std::span<const std::uint32_t> SparseLattice::slots() const { return state_->order.slot; }

std::int64_t SparseLattice::bad_site() const {
  const auto& s = *state_;
  std::int64_t worst = -1;
  for (std::size_t k = 0; k < s.order.slot.size(); ++k) {
    const auto id = s.domain_.grid.site_id(s.domain_.sites[k]);
    if (worst >= 0 && id >= worst) continue;
    const auto slot = s.order.slot[k];
    const auto& excess = s.arriving(slot);
    for (std::size_t i = 0; i < s.set.velocity.size(); ++i) {
      const double f = excess[i][slot % s.width] + s.set.weight[i];
      if (!(f >= 0 && f < 1e3)) worst = id;
    }
  }
  return worst;
}

bool SparseLattice::has_fields() const { return state_->has_fields; }

std::vector<double> SparseLattice::density() const {
  const auto& s = *state_;
  std::vector<double> result(s.order.slot.size());
  for (std::size_t k = 0; k < result.size(); ++k)
    result[k] = !s.has_fields ? s.moments(s.order.slot[k]).density : s.density[s.order.slot[k]];
  return result;
}

std::vector<std::array<double, 3>> SparseLattice::velocity() const {
  const auto& s = *state_;
  std::vector<std::array<double, 3>> result(s.order.slot.size());
  for (std::size_t k = 0; k < result.size(); ++k) {
    const auto slot = s.order.slot[k];
    if (!s.has_fields)
      result[k] = s.moments(slot).velocity;
    else
      result[k] = s.kept_velocity(slot);
  }
  return result;
}

SparseLattice::Fields SparseLattice::fields() const {
  const auto& s = *state_;
  if (!s.has_fields) return {};
  return {s.order.slot, s.density, {s.velocity[0], s.velocity[1], s.velocity[2]}};
}

SparseLattice::StressFields SparseLattice::stress() const {
  const auto& s = *state_;
  if (s.stress[0].empty()) return {};
  return {s.order.slot, {s.stress[0], s.stress[1], s.stress[2], s.stress[3], s.stress[4], s.stress[5]}};
}

SparseLattice::Moments SparseLattice::moments(std::size_t site) const {
  const auto m = state_->moments(state_->order.slot[site]);
  return {m.density, m.velocity};
}

}  // namespace weft::lattice
