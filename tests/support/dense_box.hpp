// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "lattice/dense_lattice.hpp"
#include "lattice/detail/sixteen_bits.hpp"

namespace weft::test {

/// A dense lattice alone: at periodic sides ghosts are copied, the other sides are half-way walls.
class DenseBox {
 public:
  using Site = lattice::DenseLattice::Site;
  using Extent = lattice::DenseLattice::Extent;
  struct Part {
    Extent first, count;
  };

  DenseBox(const Extent& extent, const lattice::DenseParameters& parameters,
           const std::array<bool, 3>& periodic = {true, true, true})
      : lattice_(extent, parameters), periodic_(periodic), wraps_(parameters.wraps_last_axis),
        storage_(parameters.storage) {
    connect();
  }

  /// Sets the state of the wall on one side (-1, 1) of an axis.
  void move_wall(std::size_t axis, int side, const std::array<double, 3>& velocity) {
    wall_[axis][side < 0 ? 0 : 1] = velocity;
  }

  /// One step, all sites at once or in parts that together are the block.
  void step(const std::vector<Part>& parts = {}) {
    for (const auto& part : parts) lattice_.update(part.first, part.count);
    if (parts.empty()) lattice_.update({0, 0, 0}, lattice_.block());
    const auto at = lattice_.layout();
    for (const auto& [ghost, site] : joined_) {
      const bool back = lattice_.gives_back();
      std::memcpy(at.data + (back ? site : ghost) * at.element_bytes,
                  at.data + (back ? ghost : site) * at.element_bytes, at.element_bytes);
    }
    for (std::size_t a = 0; a < lattice_.dimensions(); ++a)
      for (std::size_t side = 0; side < 2; ++side)
        if (!periodic_[a]) lattice_.bounce(a, side == 0 ? -1 : 1, wall_[a][side]);
    lattice_.finish_step();
  }
  void steps(int n) {
    for (int k = 0; k < n; ++k) step();
  }

  template <class Function>
  void for_each(Function&& f) const {
    const auto& n = lattice_.block();
    for (std::size_t x = 0; x < n[0]; ++x)
      for (std::size_t y = 0; y < n[1]; ++y)
        for (std::size_t z = 0; z < n[2]; ++z) f(Site{std::ptrdiff_t(x), std::ptrdiff_t(y), std::ptrdiff_t(z)});
  }

  /// The population that a site receives along i in the next step, as stored: f - w.
  double excess(const Site& site, int i) {
    const bool next_is_odd = lattice_.gives_back();
    Site from = site;
    for (std::size_t a = 0; a < 3 && next_is_odd; ++a) from[a] -= lattice_.velocities()[std::size_t(i)][a];
    const auto at = lattice_.layout();
    const auto* const bytes =
        at.data + element(wrap(from, true), next_is_odd ? lattice_.opposite(i) : i) * at.element_bytes;
    if (storage_ == lattice::Storage::fp16) return value<lattice::detail::Fp16>(bytes);
    if (storage_ == lattice::Storage::fp16c) return value<lattice::detail::Fp16c>(bytes);
    if (at.element_bytes == sizeof(float)) return value<float>(bytes);
    return value<double>(bytes);
  }
  /// The same, of all sites and directions.
  std::vector<double> all() {
    std::vector<double> f;
    for_each([&](const Site& s) {
      for (int i = 0; i < int(lattice_.velocities().size()); ++i) f.push_back(excess(s, i));
    });
    return f;
  }
  /// Mass above that of fluid at rest, and momentum, of the arriving populations.
  std::array<double, 4> content() {
    std::array<double, 4> sum{};
    for_each([&](const Site& s) {
      for (std::size_t i = 0; i < lattice_.velocities().size(); ++i) {
        const double f = excess(s, int(i));
        sum[3] += f;
        for (std::size_t a = 0; a < 3; ++a) sum[a] += f * lattice_.velocities()[i][a];
      }
    });
    return sum;
  }

  lattice::DenseLattice& lattice() { return lattice_; }

 private:
  template <class Scalar>
  static double value(const std::byte* bytes) {
    Scalar v;
    std::memcpy(&v, bytes, sizeof v);
    return static_cast<double>(v);
  }

  // Ghosts of an axis that the lattice wraps itself are the sites at the other end; `fully`: for all periodic axes.
  Site wrap(Site s, bool fully) const {
    const auto& n = lattice_.block();
    for (std::size_t a = 0; a < 3; ++a)
      if (periodic_[a] && (fully || (wraps_ && a + 1 == lattice_.dimensions())))
        s[a] = (s[a] + std::ptrdiff_t(n[a])) % std::ptrdiff_t(n[a]);
    return s;
  }
  std::size_t element(const Site& s, int slot) {
    const auto at = lattice_.layout();
    const auto& n = lattice_.block();
    const auto place = [&](std::size_t a) { return std::size_t(s[a] + 1); };
    const std::size_t inside = lattice_.dimensions() == 2 ? place(0) * at.pitch + place(1)
                                                          : (place(0) * (n[1] + 2) + place(1)) * at.pitch + place(2);
    return std::size_t(slot) * at.component_stride + inside;
  }
  void connect() {
    const auto& n = lattice_.block();
    const auto meets = [&](const Site& s) {  // inside the box along the axes with walls
      for (std::size_t a = 0; a < 3; ++a)
        if (!periodic_[a] && (s[a] < 0 || s[a] >= std::ptrdiff_t(n[a]))) return false;
      return true;
    };
    for_each([&](const Site& s) {
      for (int i = 1; i < int(lattice_.velocities().size()); ++i) {
        Site to = s;
        for (std::size_t a = 0; a < 3; ++a) to[a] += lattice_.velocities()[std::size_t(i)][a];
        to = wrap(to, false);
        if (meets(to) && wrap(to, true) != to) joined_.push_back({element(to, i), element(wrap(to, true), i)});
      }
    });
  }

  lattice::DenseLattice lattice_;
  std::array<bool, 3> periodic_;
  bool wraps_;
  lattice::Storage storage_;
  std::array<std::array<std::array<double, 3>, 2>, 3> wall_{};
  std::vector<std::pair<std::size_t, std::size_t>> joined_;  // ghost and site
};

}  // namespace weft::test
