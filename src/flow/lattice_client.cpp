// SPDX-License-Identifier: BSD-3-Clause
#include "flow/lattice_client.hpp"

#include <algorithm>
#include <utility>

namespace weft::flow {

LatticeClient::LatticeClient(lattice::SparseLattice& lattice, const Case& c, const Scaling& scaling,
                             std::function<lattice::Look(std::int64_t)> look)
    : lattice_(lattice), case_(c), scaling_(scaling), look_of_(std::move(look)) {}

void LatticeClient::request(Requests& requests) {
  for (const auto& peer : lattice_.peers()) {
    requests.send(peer.rank, 0, contiguous(peer.outgoing));
    requests.receive(peer.rank, 0, contiguous(peer.incoming));
  }
}

void LatticeClient::before(Step& step) {
  // An opening holds at the time that the step leads to.
  const double time = scaling_.time(step.number() + 1);
  for (std::size_t k = 0; k < case_.openings.size(); ++k)
    if (!openings_set_ || !case_.openings[k].value.constant())
      lattice_.set_opening(k, opening_state(case_.openings[k], scaling_, time));
  openings_set_ = true;
  look_ = look_of_(step.number());
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
  if (look_ != lattice::Look::fields) return;
  looked_.fields_before = looked_.fields;
  looked_.fields = step.number();
}

}  // namespace weft::flow
