// SPDX-License-Identifier: BSD-3-Clause
//
// The baselines fill the same ghosts as the reference, and so do weft's schemes as the benchmark uses them.

#include <gtest/gtest.h>

#include "bench/halo/halo_methods.hpp"
#include "lattice/velocity_sets.hpp"
#include "weft/halo/reference.hpp"

namespace weft::bench {
namespace {

std::size_t points_of(const CartesianGrid& grid) {
  std::size_t n = 1;
  for (const auto count : grid.block().count) n *= count + 2;
  return n;
}

template <class Real>
class Checked {
 public:
  Checked(const CartesianGrid& grid, Layout layout) : grid_(grid), memory_(19 * points_of(grid)) {
    field_ = layout == Layout::aos ? array_of_structures(memory_.data(), 19) : structure_of_arrays(memory_.data(), 19);
    field_.velocities.assign(lattice::D3Q19::velocity.begin(), lattice::D3Q19::velocity.end());
    fill();
  }

  void expect_as_reference(mpi::Communicator& world, const HaloVariant& variant) {
    fill();
    Halo halo(grid_, {.payload = variant.payload});
    halo.add(field_);
    fill_by_reference(world, halo);
    const auto expected = memory_;
    const auto method = variant.make(world, grid_, field_, nullptr);
    for (int step = 0; step < 2; ++step) {
      fill();
      method->start();
      method->finish();
      if (variant.scheme == HaloOptions::Scheme::direct || variant.payload == HaloOptions::Payload::whole)
        EXPECT_TRUE(memory_ == expected) << variant.name << " on rank " << grid_.rank();
      else  // by_dimension also fills ghosts that were not requested
        EXPECT_EQ(differing_where_filled(expected), 0) << variant.name << " on rank " << grid_.rank();
    }
  }

 private:
  // Unique values, also across ranks, and exact in a float.
  void fill() {
    for (std::size_t i = 0; i < memory_.size(); ++i)
      memory_[i] = initial_.size() == memory_.size()
                       ? initial_[i]
                       : static_cast<Real>(static_cast<std::size_t>(grid_.rank()) * memory_.size() + i);
    initial_ = memory_;
  }
  std::size_t differing_where_filled(const std::vector<Real>& expected) const {
    std::size_t n = 0;
    for (std::size_t i = 0; i < memory_.size(); ++i) n += expected[i] != initial_[i] && memory_[i] != expected[i];
    return n;
  }

  CartesianGrid grid_;
  std::vector<Real> memory_, initial_;
  Field field_;
};

TEST(HaloBaseline, fills_the_ghosts_that_the_reference_fills) {
  mpi::Communicator world(MPI_COMM_WORLD);
  using S = HaloOptions::Scheme;
  auto variants = all_variants(world, {S::direct, S::by_dimension});
  ASSERT_TRUE(variants[0].is_baseline && variants[2].is_baseline);
  for (const auto& options : {GridOptions{{5, 4, 3}, {}, {true, true, true}},
                              GridOptions{{4, 6, 9}, {1, 1, world.size()}, {true, true, true}}})
    for (const auto layout : {Layout::aos, Layout::soa}) {
      const CartesianGrid grid(world, options);
      Checked<double> doubles(grid, layout);
      Checked<float> floats(grid, layout);
      for (const auto& variant : variants) {
        doubles.expect_as_reference(world, variant);
        floats.expect_as_reference(world, variant);
      }
    }
}

}  // namespace
}  // namespace weft::bench
