// SPDX-License-Identifier: BSD-3-Clause
#include "flow/step/lattice_client.hpp"

#include <algorithm>
#include <utility>

namespace weft::flow {

LatticeClient::LatticeClient(lattice::SparseLattice& lattice, const Case& c, const Scaling& scaling,
                             std::function<lattice::Diagnostics(std::int64_t)> diagnostics)
    : lattice_(lattice), case_(c), scaling_(scaling), waves_(c.openings.size()), amplitudes_(2 * Womersley::harmonics),
      controls_(c, scaling), diagnostics_of_(std::move(diagnostics)) {
  for (std::size_t k = 0; k < c.openings.size(); ++k)
    if (c.openings[k].womersley) waves_[k].emplace(c.openings[k].value);
}

void LatticeClient::request(Requests& requests) {
  for (const auto& peer : lattice_.peers()) {
    requests.send(peer.rank, 0, contiguous(peer.outgoing));
    requests.receive(peer.rank, 0, contiguous(peer.incoming));
  }
}

void LatticeClient::set_openings(std::int64_t step) {
  for (std::size_t k = 0; k < case_.openings.size(); ++k) {
    auto& wave = waves_[k];
    if (wave && controls_.is_steered(k)) {  // now with the profile of steady flow
      lattice_.set_opening_amplitudes(k, std::vector<double>(amplitudes_.size()));
      wave.reset();
    }
    if (!wave || controls_.is_held(k, step)) {  // outflow keeps its own profile
      if (!is_set_ || controls_.opening_changes(k, step)) lattice_.set_opening(k, controls_.opening_state(k, step));
      continue;
    }
    const double time = scaling_.time(step + 1), risen = controls_.risen(step);
    wave->amplitudes(time, amplitudes_);
    for (auto& a : amplitudes_) a = scaling_.lattice_speed(risen * a);
    lattice_.set_opening(k, opening_state(case_.openings[k].kind, scaling_, risen * wave->rest(time)));
    lattice_.set_opening_amplitudes(k, amplitudes_);
  }
}

void LatticeClient::before(Step& step) {
  const auto number = step.number();
  set_openings(number);
  if (!is_set_ || controls_.viscosity_changes(number)) lattice_.set_tau(controls_.tau(number));
  is_set_ = true;
  diagnostics_ = diagnostics_of_(number);
  lattice_.update_edge(diagnostics_);
}

void LatticeClient::during(Step& step) {
  // Chunks of about 100 us, so that polling can make progress; the result does not depend on them.
  constexpr std::size_t cut = 4096;
  const auto sites = lattice_.interior_sites();
  for (std::size_t first = 0; first < sites; first += cut) {
    step.progress();
    lattice_.update_interior(first, std::min(first + cut, sites), diagnostics_);
  }
}

void LatticeClient::after(Step& step) {
  lattice_.finish();
  if (diagnostics_ == lattice::Diagnostics::nothing) return;
  observed_.seen = step.number();
  if (diagnostics_ < lattice::Diagnostics::change) return;
  observed_.fields_before = observed_.fields;
  observed_.fields = step.number();
  if (diagnostics_ == lattice::Diagnostics::stress) stress_step_ = step.number();
}

}  // namespace weft::flow
