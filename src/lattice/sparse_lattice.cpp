// SPDX-License-Identifier: BSD-3-Clause
#include "lattice/sparse_lattice.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "lattice/collision.hpp"
#include "lattice/d3q19.hpp"
#include "lattice/detail/instruction_set.hpp"
#include "lattice/detail/links.hpp"
#include "lattice/detail/logarithm.hpp"
#include "lattice/detail/opening_sites.hpp"
#include "lattice/detail/populations.hpp"
#include "lattice/detail/site_order.hpp"
#include "weft/error.hpp"

namespace weft::lattice {

using detail::SlotRange;

namespace {

constexpr std::size_t directions = D3Q19::directions;

Relaxation relaxation_of(const Parameters& p) {
  if (!(p.tau > 0.5))
    throw InputError("tau is " + std::to_string(p.tau) + " (at 1/2 and below the viscosity isn't positive). Give a larger tau.");
  if (p.collision == Collision::trt && !(p.magic > 0))
    throw InputError("the magic number is " + std::to_string(p.magic) + " (it must be positive). 3/16 is usual.");
  const double odd_tau = p.collision == Collision::trt ? 0.5 + p.magic / (p.tau - 0.5) : p.tau;
  return {1 / p.tau, 1 / odd_tau, {p.force[0], p.force[1], p.force[2]}};
}

}  // namespace

struct SparseLattice::State {
  State(const geometry::Domain& domain, int rank, const Parameters& parameters);

  detail::Task task();
  void update(const SlotRange& range, std::size_t first, std::size_t last, detail::Variant v);
  void fill_outgoing(const double* populations);

  Parameters parameters;
  Relaxation relaxation;
  geometry::Grid grid;
  detail::SiteOrder order;
  detail::Links links;
  detail::OpeningSites opening_sites;
  detail::Populations from, to;
  std::vector<double> outgoing, incoming;  ///< peer after peer; `incoming` in the order of the ghosts
  std::vector<double> density;             ///< per slot, of the last step that left fields
  std::array<std::vector<double>, 3> velocity;
  const detail::Kernel* kernels;
  detail::Variant variant;                 ///< of a step that nobody looks at
  Observation current = nothing_seen(), finished = nothing_seen();
  bool looking = false;
  std::vector<double> inflow, finished_inflow;
};

SparseLattice::State::State(const geometry::Domain& domain, int rank, const Parameters& p)
    : parameters(p), relaxation(relaxation_of(p)), grid(domain.grid), order(detail::order_sites(domain, rank)),
      links(detail::make_links(domain, rank, order)), opening_sites(domain, order),
      from(links.stride * directions + links.ghosts), to(links.stride * directions + links.ghosts, 1),
      outgoing(links.ghosts), incoming(links.ghosts), density(order.id.size(), 1), kernels(detail::kernels(p.instruction_set)),
      inflow(domain.openings.size()), finished_inflow(domain.openings.size()) {
  for (auto& v : velocity) v.assign(order.id.size(), 0);
  const bool forced = p.force != std::array<double, 3>{};
  variant = {.trt = p.collision == Collision::trt, .forced = forced, .look = Look::nothing,
             .bypass = from.bytes() + to.bytes() > (p.cache_bytes != 0 ? p.cache_bytes : detail::cache_share())};
  for (std::size_t i = 0; i < directions; ++i) {
    for (auto* array : {&from, &to}) std::fill_n(array->data() + i * links.stride, links.stride, D3Q19::weight[i]);
  }
  std::size_t ghost = links.stride * directions;
  for (const auto& peer : links.peers)
    for (const auto& g : peer.incoming) from.data()[ghost++] = D3Q19::weight[g.direction];
}

detail::Task SparseLattice::State::task() {
  return {from.data(), to.data(), links.stride, links.groups.data(), links.words.data(), relaxation, density.data(),
          {velocity[0].data(), velocity[1].data(), velocity[2].data()}, order.id.data(), &current};
}

void SparseLattice::State::update(const SlotRange& range, std::size_t first, std::size_t last, detail::Variant v) {
  const auto t = task();
  const std::size_t plain = std::min(last, range.openings), opening = std::max(first, range.openings);
  if (first < plain) kernels[index_of(v)](t, first, plain);
  if (opening < last) opening_sites.update(t, links, v, opening, last, inflow);
}

void SparseLattice::State::fill_outgoing(const double* populations) {
  double* out = outgoing.data();
  for (const auto& peer : links.peers)
    for (const auto index : peer.outgoing) *out++ = populations[index];
}

SparseLattice::SparseLattice(const geometry::Domain& domain, int rank, const Parameters& parameters)
    : state_(std::make_unique<State>(domain, rank, parameters)) {}
SparseLattice::~SparseLattice() = default;
SparseLattice::SparseLattice(SparseLattice&&) noexcept = default;
SparseLattice& SparseLattice::operator=(SparseLattice&&) noexcept = default;

std::size_t SparseLattice::sites() const { return state_->order.slot.size(); }
std::size_t SparseLattice::interior_sites() const { return state_->order.interior.end - state_->order.interior.plain; }

std::vector<SparseLattice::Peer> SparseLattice::peers() const {
  std::vector<Peer> result;
  std::size_t at = 0;
  for (const auto& peer : state_->links.peers) {
    const std::size_t n = peer.outgoing.size();
    result.push_back({peer.rank, std::span<const double>(state_->outgoing).subspan(at, n),
                      std::span<double>(state_->incoming).subspan(at, n)});
    at += n;
  }
  return result;
}

std::size_t SparseLattice::bytes() const {
  const auto& s = *state_;
  return s.from.bytes() + s.to.bytes() + s.links.bytes() + s.opening_sites.bytes() +
         (s.outgoing.size() + s.incoming.size() + 4 * s.density.size()) * sizeof(double) +
         s.order.id.size() * sizeof(s.order.id[0]) + s.order.slot.size() * sizeof(s.order.slot[0]);
}

void SparseLattice::initialise(const std::function<double(const geometry::Position&)>& density,
                               const std::function<std::array<double, 3>(const geometry::Position&)>& velocity) {
  auto& s = *state_;
  const auto equilibrium_at = [&](const geometry::Position& p, double (&f)[directions]) {
    const auto u = velocity(p);
    const Moments<double> m{density(p), {u[0], u[1], u[2]}};
    equilibrium<D3Q19>(m, f);
    return m;
  };
  double f[directions];
  for (const auto slot : s.order.slot) {
    const auto m = equilibrium_at(detail::position_of(s.grid, s.order.id[slot]), f);
    for (std::size_t i = 0; i < directions; ++i) s.from.data()[i * s.links.stride + slot] = f[i];
    s.density[slot] = m.density;
    for (std::size_t d = 0; d < 3; ++d) s.velocity[d][slot] = m.velocity[d];
    if (s.opening_sites.contains(slot)) s.opening_sites.set_previous(slot, m);
  }
  double* ghost = s.from.data() + s.links.stride * directions;
  for (const auto& peer : s.links.peers) {
    for (const auto& g : peer.incoming) {
      equilibrium_at(g.source, f);
      *ghost++ = f[g.direction];
    }
  }
}

void SparseLattice::set_opening(std::size_t opening, const OpeningState& state) { state_->opening_sites.set(opening, state); }

void SparseLattice::set_tau(double tau) {
  auto parameters = state_->parameters;
  parameters.tau = tau;
  state_->relaxation = relaxation_of(parameters);
  state_->parameters = parameters;
}

SiteState SparseLattice::state(std::size_t site) const {
  const auto& s = *state_;
  const auto slot = s.order.slot[site];
  SiteState result{.populations = {}, .density = s.density[slot],
                   .velocity = {s.velocity[0][slot], s.velocity[1][slot], s.velocity[2][slot]}};
  for (std::size_t i = 0; i < directions; ++i) result.populations[i] = s.from.data()[i * s.links.stride + slot];
  return result;
}

OpeningSiteState SparseLattice::opening_state(std::size_t site) const {
  const auto& m = state_->opening_sites.previous(state_->order.slot[site]);
  return {m.density, {m.velocity[0], m.velocity[1], m.velocity[2]}};
}

void SparseLattice::restore(std::size_t site, const SiteState& state) {
  auto& s = *state_;
  const auto slot = s.order.slot[site];
  for (std::size_t i = 0; i < directions; ++i) s.from.data()[i * s.links.stride + slot] = state.populations[i];
  s.density[slot] = state.density;
  for (std::size_t d = 0; d < 3; ++d) s.velocity[d][slot] = state.velocity[d];
}

void SparseLattice::restore_opening(std::size_t site, const OpeningSiteState& state) {
  const auto& u = state.velocity;
  state_->opening_sites.set_previous(state_->order.slot[site], {state.density, {u[0], u[1], u[2]}});
}

void SparseLattice::start_restored() { state_->fill_outgoing(state_->from.data()); }

void SparseLattice::finish_restored() {
  auto& s = *state_;
  std::copy(s.incoming.begin(), s.incoming.end(), s.from.data() + s.links.stride * directions);
}

void SparseLattice::restore_observation(const Observation& observation, std::span<const double> inflow) {
  state_->finished = observation;
  std::copy(inflow.begin(), inflow.end(), state_->finished_inflow.begin());
}

void SparseLattice::update_edge(Look look) {
  auto& s = *state_;
  s.looking = look != Look::nothing;
  s.current = nothing_seen();
  std::fill(s.inflow.begin(), s.inflow.end(), 0.0);
  s.opening_sites.forget_inflow();
  auto v = s.variant;
  v.look = look;
  v.bypass = false;  // what leaves is read again at once
  s.update(s.order.edge, s.order.edge.plain, s.order.edge.end, v);
  s.fill_outgoing(s.to.data());
}

void SparseLattice::update_interior(std::size_t first, std::size_t last, Look look) {
  auto& s = *state_;
  auto v = s.variant;
  v.look = look;
  s.update(s.order.interior, s.order.interior.plain + first, s.order.interior.plain + last, v);
}

void SparseLattice::finish() {
  auto& s = *state_;
  if (!s.incoming.empty())
    std::memcpy(s.to.data() + s.links.stride * directions, s.incoming.data(), s.incoming.size() * sizeof(double));
  std::swap(s.from, s.to);
  if (s.looking) s.finished = s.current;
  std::swap(s.inflow, s.finished_inflow);
}

const Observation& SparseLattice::observation() const { return state_->finished; }
std::span<const double> SparseLattice::inflow() const { return state_->finished_inflow; }
std::span<const std::int64_t> SparseLattice::inflow_ticks() const { return state_->opening_sites.inflow_ticks(); }

std::vector<double> SparseLattice::density() const {
  const auto& s = *state_;
  std::vector<double> result(s.order.slot.size());
  for (std::size_t k = 0; k < result.size(); ++k) result[k] = s.density[s.order.slot[k]];
  return result;
}

SparseLattice::Fields SparseLattice::fields() const {
  const auto& s = *state_;
  return {s.order.slot, s.density, {s.velocity[0], s.velocity[1], s.velocity[2]}};
}

bool SparseLattice::is_at_opening(std::size_t site) const { return state_->opening_sites.contains(state_->order.slot[site]); }

double SparseLattice::opening_density(std::size_t site) const {
  return state_->opening_sites.previous_density(state_->order.slot[site]);
}

double SparseLattice::entropy() const {
  const auto& s = *state_;
  double h = 0;
  for (const auto* range : {&s.order.edge, &s.order.interior})
    for (std::size_t i = 0; i < directions; ++i)
      h += detail::sum_x_log_x(s.from.data() + i * s.links.stride + range->plain, range->end - range->plain, 1 / D3Q19::weight[i]);
  return h;
}

std::int64_t SparseLattice::bad_site() const {
  const auto& s = *state_;
  std::int64_t worst = -1;
  for (const auto slot : s.order.slot)
    for (std::size_t i = 0; i < directions; ++i) {
      const double f = s.from.data()[i * s.links.stride + slot];
      if (!(f >= 0 && f < 1e3) && (worst < 0 || s.order.id[slot] < worst)) worst = s.order.id[slot];
    }
  return worst;
}

std::vector<std::array<double, 3>> SparseLattice::velocity() const {
  const auto& s = *state_;
  std::vector<std::array<double, 3>> result(s.order.slot.size());
  for (std::size_t k = 0; k < result.size(); ++k) {
    const auto slot = s.order.slot[k];
    result[k] = {s.velocity[0][slot], s.velocity[1][slot], s.velocity[2][slot]};
  }
  return result;
}

}  // namespace weft::lattice
