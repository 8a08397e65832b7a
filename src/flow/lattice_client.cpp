// SPDX-License-Identifier: BSD-3-Clause
#include "flow/lattice_client.hpp"

#include <algorithm>
#include <utility>

namespace weft::flow {

LatticeClient::LatticeClient(lattice::SparseLattice& lattice, const Case& c, const Scaling& scaling,
                             std::function<lattice::Look(std::int64_t)> look)
    : lattice_(lattice), case_(c), controls_(c, scaling), look_of_(std::move(look)) {}

void LatticeClient::request(Requests& requests) {
  for (const auto& peer : lattice_.peers()) {
    requests.send(peer.rank, 0, contiguous(peer.outgoing));
    requests.receive(peer.rank, 0, contiguous(peer.incoming));
  }
}

void LatticeClient::before(Step& step) {
  const auto number = step.number();
  for (std::size_t k = 0; k < case_.openings.size(); ++k)
    if (!is_set_ || controls_.opening_changes(k, number)) lattice_.set_opening(k, controls_.opening_state(k, number));
  if (!is_set_ || controls_.viscosity_changes(number)) lattice_.set_tau(controls_.tau(number));
  is_set_ = true;
  look_ = look_of_(number);
  lattice_.update_edge(look_);
}

void LatticeClient::during(Step& step) {
  // Cuts of some 100 us, so that whoever polls can; the result does not depend on them.
  constexpr std::size_t cut = 4096;
  const auto sites = lattice_.interior_sites();
  for (std::size_t first = 0; first < sites; first += cut) {
    step.progress();
    lattice_.update_interior(first, std::min(first + cut, sites), look_);
  }
}

void LatticeClient::after(Step& step) {
  lattice_.finish();
  if (look_ == lattice::Look::nothing) return;
  looked_.seen = step.number();
  if (look_ < lattice::Look::change) return;
  looked_.fields_before = looked_.fields;
  looked_.fields = step.number();
}

}  // namespace weft::flow
