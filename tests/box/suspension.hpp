// SPDX-License-Identifier: BSD-3-Clause
//
// A small box with particles on one rank, stepped as the program does it, with everything in the tests' reach.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "box/particles.hpp"
#include "lattice/dense_lattice.hpp"
#include "weft/halo/halo_exchange.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::testing {

using dense::Particle;
using dense::ParticleOptions;
using dense::Particles;
using dense::Site;
using dense::Space;
using lattice::DenseLattice;
using lattice::DenseParameters;

struct Box3 {
  std::vector<std::size_t> extent;
  std::vector<bool> periodic{true, true, true};
  DenseParameters fluid{};
  ParticleOptions particles{};
  std::vector<std::pair<std::array<int, 2>, std::array<double, 3>>> moving_walls{};  // axis and side, velocity
  HaloOptions halo{.payload = HaloOptions::Payload::reduced};
  std::array<double, 3> flow{};  // at the start
};

class Suspension {
 public:
  Suspension(Transport& world, const Box3& box, const StepOptions& options = {})
      : world_(world), box_(box), grid_(world, {.extent = box.extent, .periodic = box.periodic}),
        lattice_(grid_.block().count, box.fluid), fill_(halo(HaloOptions::Flow::fill)), back_(halo(HaloOptions::Flow::give_back)),
        particles_(box.particles, space(), lattice_), sites_(*this), walls_(*this),
        manager_(world, options) {
    lattice_.initialise([&](const Site&) { return DenseLattice::State{1, box.flow}; });
    manager_.add("lattice", sites_);  // before the halos, so that its outermost sites are updated when they leave
    manager_.add("fill", fill_, {.every = 2, .offset = 0});
    manager_.add("give back", back_, {.every = 2, .offset = 1});
    manager_.add("particles", particles_);
    manager_.add("walls", walls_);
  }

  void run(int steps) {
    for (int s = 0; s < steps; ++s) manager_.run_step();
  }
  const Particles& particles() const { return particles_; }
  const DenseLattice& lattice() const { return lattice_; }
  const CartesianGrid& grid() const { return grid_; }

  /// Of the fluid, over all ranks.
  Particles::Account fluid() const {
    Particles::Account sum;
    for_each_fluid_site([&](const Site& s) {
      const auto at = lattice_.state(s);
      sum.mass += at.density;
      for (std::size_t a = 0; a < 3; ++a) sum.momentum[a] += at.density * (at.velocity[a] - 0.5 * box_.fluid.force[a]);
    });
    return total(sum);
  }
  /// Of fluid and particles and what is between them.
  Particles::Account everything() const {
    auto all = fluid();
    const auto pending = total(particles_.pending()), settled = particles_.settled();
    all.mass += pending.mass + settled.mass;
    for (std::size_t a = 0; a < 3; ++a) all.momentum[a] += pending.momentum[a] + settled.momentum[a];
    return all;
  }
  template <class Visit>
  void for_each_fluid_site(const Visit& visit) const {
    const auto n = grid_.block().count;
    for (std::size_t x = 0; x < n[0]; ++x)
      for (std::size_t y = 0; y < n[1]; ++y)
        for (std::size_t z = 0; z < n[2]; ++z) {
          const Site s{static_cast<std::ptrdiff_t>(x), static_cast<std::ptrdiff_t>(y), static_cast<std::ptrdiff_t>(z)};
          if (!particles_.is_solid(s)) visit(s);
        }
  }

 private:
  struct Sites final : Client {
    explicit Sites(Suspension& owner) : o(owner) {}
    void request(Requests&) override {}
    void before(Step& step) override {
      if (step.round() != 0) return;
      for (const auto& b : o.fill_.halo().boundary()) o.lattice_.update(b.first, b.count);
    }
    void during(Step& step) override {
      if (step.round() != 0) return;
      const auto inner = o.fill_.halo().interior();
      o.lattice_.update(inner.first, inner.count);
    }
    Suspension& o;
  };
  struct Walls final : Client {
    explicit Walls(Suspension& owner) : o(owner) {}
    void request(Requests&) override {}
    void finish(Step&) override {
      for (std::size_t a = 0; a < o.grid_.dimensions(); ++a)
        for (const int side : {-1, 1}) {
          if (o.grid_.has_neighbour(a, side)) continue;
          std::array<double, 3> velocity{};
          for (const auto& [where, v] : o.box_.moving_walls)
            if (where[0] == static_cast<int>(a) && where[1] == side) velocity = v;
          o.lattice_.bounce(a, side, velocity);
        }
      o.lattice_.finish_step();
    }
    Suspension& o;
  };

  Halo halo(HaloOptions::Flow flow) {
    auto options = box_.halo;
    options.flow = flow;
    Halo halo(grid_, options);
    const auto at = lattice_.layout();
    Field field{.data = at.data, .element_bytes = at.element_bytes, .components = at.components, .component_stride = at.component_stride,
                .pitch = at.pitch, .name = "populations"};
    // Slot i of a ghost is used by the site that velocity i comes from.
    for (const auto& v : lattice_.velocities()) field.velocities.push_back({-v[0], -v[1], -v[2]});
    halo.add(std::move(field));
    return halo;
  }
  Space space() const {
    Space s{.extent = grid_.extent(), .dimensions = grid_.dimensions(), .block = grid_.block()};
    for (std::size_t a = 0; a < 3; ++a) s.periodic[a] = grid_.is_periodic(a);
    return s;
  }
  Particles::Account total(const Particles::Account& mine) const {
    const std::vector<double> values{mine.mass, mine.momentum[0], mine.momentum[1], mine.momentum[2]};
    const auto all = all_gather(world_, values);
    Particles::Account sum;
    for (std::size_t k = 0; k < all.size(); k += 4) {
      sum.mass += all[k];
      for (std::size_t a = 0; a < 3; ++a) sum.momentum[a] += all[k + 1 + a];
    }
    return sum;
  }

  Transport& world_;
  Box3 box_;
  CartesianGrid grid_;
  DenseLattice lattice_;
  HaloClient fill_, back_;
  Particles particles_;
  Sites sites_;
  Walls walls_;
  StepManager manager_;
};

}  // namespace weft::testing
