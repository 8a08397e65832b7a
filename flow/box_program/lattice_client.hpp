// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "box_program/case.hpp"
#include "box_program/solid_map.hpp"
#include "lattice/dense_lattice.hpp"
#include "weft/halo/halo_exchange.hpp"
#include "weft/step/client.hpp"

namespace weft::box_program {

/// The decomposition of a box: the program's view, and the halo's, in which an axis that wraps within the block has no
/// neighbours.
struct Layout {
  CartesianGrid grid;
  Space space;
};
Layout make_layout(const Case& c, int rank, int ranks);

/// The halo of a lattice's populations: filled after even steps, reversed (ghost to owner) after odd ones. `at` has
/// their layout; of the lattice only the velocities are used.
Halo make_halo(const Case& c, const Layout& layout, const lattice::DenseLattice& lattice,
               const lattice::DenseLattice::Layout& at, HaloOptions::Flow flow);

/// Updates the outermost sites before the exchange and the inner ones while it is in flight. Must precede the halos,
/// whose data it computes.
class LatticeClient final : public Client {
 public:
  LatticeClient(lattice::DenseLattice& lattice, const CartesianGrid& grid);

  void request(Requests&) override {}
  void before(Step& step) override;
  void during(Step& step) override;

 private:
  lattice::DenseLattice& lattice_;
  Box inner_;
  std::vector<Box> outermost_;
};

/// Reflects the populations that leave through the box's walls, and ends the step. Must be last.
class WallClient final : public Client {
 public:
  WallClient(lattice::DenseLattice& lattice, const Case& c, const Layout& layout)
      : lattice_(lattice), case_(c), layout_(layout) {}

  void request(Requests&) override {}
  void finish(Step& step) override;

 private:
  lattice::DenseLattice& lattice_;
  const Case& case_;
  const Layout& layout_;
};

}  // namespace weft::box_program
