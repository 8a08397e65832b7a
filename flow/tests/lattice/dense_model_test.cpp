// SPDX-License-Identifier: BSD-3-Clause
//
// The dense lattice compared with a simple implementation of the method, and with itself in other parts and instruction
// sets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "tests/support/dense_box.hpp"
#include "tests/support/dense_reference.hpp"
#include "tests/support/instruction_sets.hpp"
#include "tests/support/lattice_noise.hpp"
#include "weft/error.hpp"

namespace weft::test {
namespace {

using lattice::Collision;
using lattice::DenseParameters;
using lattice::InstructionSet;
using lattice::Precision;
using lattice::Storage;
using lattice::VelocitySet;
using Site = DenseBox::Site;
using State = lattice::DenseLattice::State;

constexpr std::array all_sets{VelocitySet::d2q9, VelocitySet::d3q15, VelocitySet::d3q19, VelocitySet::d3q27};
constexpr std::array all_collisions{Collision::bgk, Collision::trt, Collision::mrt};

constexpr std::array all_numbers{std::pair{Precision::fp64, Storage::full}, std::pair{Precision::fp32, Storage::full},
                                 std::pair{Precision::fp32, Storage::fp16}, std::pair{Precision::fp32, Storage::fp16c}};

std::string name(VelocitySet set, Collision collision) {
  return std::array{"D2Q9", "D3Q15", "D3Q19", "D3Q27"}[std::size_t(set)] + std::string(" ") +
         std::array{"BGK", "TRT", "MRT"}[std::size_t(collision)];
}

DenseBox::Extent flat(DenseBox::Extent n, VelocitySet set) {
  if (set == VelocitySet::d2q9) n = {n[0], n[1] * n[2], 1};
  return n;
}

State noisy(const Site& s, bool in_plane) {
  const geometry::Position p{std::int32_t(s[0]), std::int32_t(s[1]), std::int32_t(s[2])};
  State state{noisy_density(p), noisy_velocity(p)};
  if (in_plane) state.velocity[2] = 0;
  return state;
}

DenseBox noisy_box(const DenseBox::Extent& extent, const DenseParameters& p) {
  DenseBox box(flat(extent, p.velocities), p);
  box.lattice().initialise([&](const Site& s) { return noisy(s, p.velocities == VelocitySet::d2q9); });
  return box;
}

std::array<double, 3> force_of(VelocitySet set) { return {1e-4, -2e-4, set == VelocitySet::d2q9 ? 0 : 3e-4}; }

TEST(DenseModel, velocity_sets_are_isotropic_to_fourth_order) {
  for (const auto set : all_sets) {
    const lattice::DenseLattice box({1, 1, 1}, {.velocities = set});
    const auto& c = box.velocities();
    const auto& w = box.weights();
    const std::size_t d = box.dimensions();
    const auto moment = [&](auto... axes) {
      double sum = 0;
      for (std::size_t i = 0; i < c.size(); ++i) sum += (w[i] * ... * c[i][axes]);
      return sum;
    };
    const auto same = [](std::size_t a, std::size_t b) { return a == b ? 1.0 : 0.0; };
    EXPECT_NEAR(moment(), 1, 1e-15);
    for (std::size_t a = 0; a < d; ++a)
      for (std::size_t b = 0; b < d; ++b) {
        EXPECT_NEAR(moment(a, b), same(a, b) / 3, 1e-15);
        for (std::size_t e = 0; e < d; ++e)
          for (std::size_t f = 0; f < d; ++f)
            EXPECT_NEAR(moment(a, b, e, f),
                        (same(a, b) * same(e, f) + same(a, e) * same(b, f) + same(a, f) * same(b, e)) / 9, 1e-15);
      }
    for (std::size_t i = 0; i < c.size(); ++i)
      for (std::size_t a = 0; a < 3; ++a) EXPECT_EQ(c[i][a], -c[std::size_t(box.opposite(int(i)))][a]);
  }
}

TEST(DenseModel, is_the_textbooks_method) {
  for (const auto set : all_sets)
    for (const auto collision : all_collisions)
      for (const DenseBox::Extent& extent : {DenseBox::Extent{5, 3, 19}, {3, 4, 3}, {1, 2, 1}, {2, 1, 9}}) {
        DenseParameters p{.velocities = set,
                          .collision = collision,
                          .tau = 0.71,
                          .bulk_tau = 0.9,
                          .ghost_tau = 1.1,
                          .force = force_of(set)};
        auto box = noisy_box(extent, p);
        DenseReference reference(box.lattice(), p);
        reference.initialise([&](const Site& s) { return noisy(s, set == VelocitySet::d2q9); });
        const auto& w = box.lattice().weights();
        for (int step = 0; step < 7; ++step) {
          double worst = 0;
          box.for_each([&](const Site& s) {
            double mass = 0;
            for (std::size_t i = 0; i < w.size(); ++i) {
              worst = std::max(worst, std::abs(box.excess(s, int(i)) + w[i] - reference.of(s)[i]));
              mass += reference.of(s)[i];
            }
            worst = std::max(worst, std::abs(box.lattice().state(s).density - mass));
          });
          ASSERT_LT(worst, 1e-12) << name(set, collision) << ", " << extent[0] << " x " << extent[1] << " x "
                                  << extent[2] << ", step " << step;
          box.step();
          reference.step();
        }
      }
}

double furthest(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0;
  for (std::size_t k = 0; k < a.size(); ++k) most = std::max(most, std::abs(a[k] - b[k]));
  return most;
}

TEST(DenseModel, mrt_is_trt_and_bgk_where_its_rates_are) {
  for (const auto set : all_sets)
    for (const auto other : {Collision::bgk, Collision::trt}) {
      DenseParameters p{.velocities = set,
                        .collision = other,
                        .tau = 0.63,
                        .bulk_tau = 0.63,
                        .ghost_tau = 0.63,
                        .force = force_of(set)};
      if (other == Collision::bgk) p.magic = (p.tau - 0.5) * (p.tau - 0.5);
      auto plain = noisy_box({5, 4, 11}, p);
      p.collision = Collision::mrt;
      auto many = noisy_box({5, 4, 11}, p);
      plain.steps(9);
      many.steps(9);
      EXPECT_LT(furthest(plain.all(), many.all()), 1e-14) << name(set, other);
      p.ghost_tau = 1;
      auto others = noisy_box({5, 4, 11}, p);
      others.steps(9);
      EXPECT_GT(furthest(plain.all(), others.all()), 1e-6) << name(set, other);
    }
}

TEST(DenseModel, fewer_bits_are_near_double) {
  for (const auto set : all_sets)
    for (const auto collision : all_collisions) {
      DenseParameters p{.velocities = set, .collision = collision, .force = force_of(set)};
      auto exact = noisy_box({4, 5, 21}, p);
      exact.steps(20);
      p.precision = Precision::fp32;
      for (const auto& [storage, most] :
           {std::pair{Storage::full, 1e-7}, std::pair{Storage::fp16, 1e-4}, std::pair{Storage::fp16c, 5e-5}}) {
        p.storage = storage;
        auto rounded = noisy_box({4, 5, 21}, p);
        rounded.steps(20);
        const double error = furthest(exact.all(), rounded.all());
        EXPECT_LT(error, most) << name(set, collision) << ", " << name_of(storage);
        EXPECT_GT(error, most / 1000) << name(set, collision) << ", " << name_of(storage);
      }
    }
}

TEST(DenseIdentity, every_instruction_set_gives_the_same_bits) {
  for (const auto set : all_sets)
    for (const auto collision : all_collisions)
      for (const auto& [precision, storage] : all_numbers) {
        DenseParameters p{.velocities = set,
                          .precision = precision,
                          .storage = storage,
                          .collision = collision,
                          .force = force_of(set),
                          .instruction_set = InstructionSet::generic};
        auto generic = noisy_box({3, 4, 27}, p);
        generic.steps(5);
        for (const auto other : wide_instruction_sets()) {
          p.instruction_set = other;
          auto box = noisy_box({3, 4, 27}, p);
          box.steps(5);
          EXPECT_EQ(box.all(), generic.all()) << name(set, collision) << ' ' << name_of(other);
          p.instruction_set = InstructionSet::generic;
          auto changing = noisy_box({3, 4, 27}, p);
          changing.steps(2);
          changing.lattice().use({other, 1024});
          changing.steps(3);
          EXPECT_EQ(changing.all(), generic.all()) << name(set, collision) << ' ' << name_of(other);
        }
      }
}

TEST(DenseLattice, says_which_instruction_set_the_processor_lacks) {
  for (const auto& entry : lattice::instruction_set_names) {
    if (lattice::supported(entry.value)) continue;
    const auto start = [&] { noisy_box({3, 4, 5}, DenseParameters{.instruction_set = entry.value}); };
    EXPECT_THAT(start, testing::ThrowsMessage<InputError>(testing::HasSubstr(entry.name)));
  }
}

// All sites, in parts cut at any position, in any order.
std::vector<DenseBox::Part> pieces(const DenseBox::Extent& n, std::mt19937& random) {
  std::vector<DenseBox::Part> parts{{{0, 0, 0}, n}};
  for (int cut = 0; cut < 12; ++cut) {
    auto& part = parts[random() % parts.size()];
    const std::size_t axis = random() % 3;
    if (part.count[axis] < 2) continue;
    auto other = part;
    part.count[axis] = 1 + random() % (part.count[axis] - 1);
    other.first[axis] += part.count[axis];
    other.count[axis] -= part.count[axis];
    parts.push_back(other);
  }
  std::shuffle(parts.begin(), parts.end(), random);
  return parts;
}

TEST(DenseIdentity, any_cut_and_order_gives_the_same_bits) {
  std::mt19937 random(7);
  for (const auto set : all_sets)
    for (const auto collision : {Collision::trt, Collision::mrt})
      for (const auto& [precision, storage] : all_numbers)
        for (const bool wraps : {false, true}) {
          DenseParameters p{.velocities = set,
                            .precision = precision,
                            .storage = storage,
                            .collision = collision,
                            .force = force_of(set)};
          auto whole = noisy_box({5, 6, 25}, p);
          p.wraps_last_axis = wraps;
          auto cut = noisy_box({5, 6, 25}, p);
          for (int step = 0; step < 8; ++step) {
            whole.step();
            cut.step(pieces(cut.lattice().block(), random));
            ASSERT_EQ(cut.all(), whole.all())
                << name(set, collision) << ", step " << step << (wraps ? ", wrapped" : "");
          }
        }
}

}  // namespace
}  // namespace weft::test
