// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "lattice/dense_lattice.hpp"
#include "lattice/detail/velocity_sets.hpp"

namespace weft::lattice::detail {

/// A DenseLattice of double, single or 16-bit numbers.
class DenseBlock {
 public:
  using Site = DenseLattice::Site;
  using Extent = DenseLattice::Extent;

  DenseBlock(const Extent& block, const DenseParameters& parameters);
  virtual ~DenseBlock() = default;

  virtual DenseLattice::Layout layout() = 0;
  virtual std::size_t bytes() const = 0;
  virtual std::size_t group() const = 0;
  virtual void use(const Kernel& kernel) = 0;
  virtual void update(const Extent& first, const Extent& count) = 0;
  virtual void bounce(std::size_t axis, int side, const std::array<double, 3>& velocity) = 0;
  /// f - w.
  virtual double get(std::size_t element) const = 0;
  virtual void put(std::size_t element, double value) = 0;
  /// Adds to each state the mass and momentum of the population that moves along `velocity`, stored in `slot` of
  /// `first` and of the following sites along the last axis.
  virtual void add(Site first, std::size_t slot, std::size_t velocity, std::span<DenseLattice::State> to) const = 0;

  /// The entropy of the populations that arrive in the next step.
  virtual Entropy entropy(bool next_is_odd) const = 0;

  /// The element of a site's slot. Ghosts beyond an end of a wrapping last axis are the sites at the other end.
  std::size_t element(Site site, std::size_t slot) const;
  bool holds(const Site& site) const;
  /// The location of the population that leaves a site along i after the step, and of the one that it receives along i
  /// in the next step.
  Site place_left(const Site& site, std::size_t i) const { return is_odd ? moved(site, i, 1) : site; }
  std::size_t slot_left(std::size_t i) const { return is_odd ? i : opposite(i); }

  Site moved(Site site, std::size_t i, int times) const {
    for (std::size_t a = 0; a < 3; ++a) site[a] += times * table.velocity[i][a];
    return site;
  }

  const DenseParameters parameters;
  const VelocityTable& table;
  const Extent block;
  bool is_odd = false;      ///< of the running or next step
  bool is_updated = false;  ///< update() was called since the last finish_step()

 protected:
  std::size_t last_axis() const { return table.dimensions - 1; }
  std::array<std::ptrdiff_t, 3> step_{};  // elements from a site to the next along each axis
  std::size_t pitch_ = 0, stride_ = 0;    // of a row, of a direction
  std::size_t origin_ = 0;                // of site (0, 0, 0), slot 0
};

std::unique_ptr<DenseBlock> make_dense_block(const DenseLattice::Extent& block, const DenseParameters& parameters);

}  // namespace weft::lattice::detail
