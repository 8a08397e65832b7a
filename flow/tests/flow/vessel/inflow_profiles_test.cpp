// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "flow/vessel/inflow_profiles.hpp"
#include "tests/support/lattice_ranks.hpp"
#include "tests/support/shape_catalogue.hpp"

namespace weft::test {

namespace {

using flow::Cosine;
using flow::Table;
using flow::Womersley;
using flow::womersley_profile;
using lattice::OpeningState;
constexpr double pi = std::numbers::pi;

TEST(WomersleyProfile, sticks_to_the_wall_has_the_mean_one_and_solves_its_equation) {
  for (const double alpha : {0.5, 3.0, 12.0, 40.0}) {
    EXPECT_NEAR(std::abs(womersley_profile(alpha, 1)), 0, 1e-9) << alpha;
    std::complex<double> mean = 0;
    constexpr int rings = 4000;
    for (int k = 0; k < rings; ++k) {
      const double r = (k + 0.5) / rings;
      mean += womersley_profile(alpha, r) * (2 * r / rings);
    }
    EXPECT_NEAR(std::abs(mean - 1.0), 0, 1e-5) << alpha;
    // i alpha^2 u = pressure gradient + u'' + u' / r: the gradient is the same at all radii.
    const auto gradient = [&](double r) {
      constexpr double h = 1e-3;
      const auto u = womersley_profile(alpha, r), up = womersley_profile(alpha, r + h),
                 down = womersley_profile(alpha, r - h);
      return std::complex<double>(0, alpha * alpha) * u - (up - 2.0 * u + down) / (h * h) - (up - down) / (2 * h * r);
    };
    EXPECT_NEAR(std::abs(gradient(0.3) / gradient(0.8) - 1.0), 0, 1e-4) << alpha;
  }
  EXPECT_NEAR(std::abs(womersley_profile(0.01, 0.5) - 1.5), 0, 1e-4);  // a parabola
}

TEST(WomersleySeries, gives_the_waveforms_mean) {
  Table table{.points = {{0, 0.1}, {0.2, 0.5}, {0.5, 0.2}}, .period = 0.8};
  const Womersley wave(table);
  for (const double t : {0.05, 0.33, 0.6}) {
    double mean = 0;
    constexpr int rings = 400;
    for (int k = 0; k < rings; ++k)
      mean += wave.velocity((k + 0.5) / rings, t, 0.01, 3.3e-6) * 2 * (k + 0.5) / rings / rings;
    EXPECT_NEAR(mean, table.at(t), 1e-5) << t;  // including corners, which need more than 16 harmonics
  }
}

/// Oscillating flow in a tube, driven by a velocity. Returns the difference of the profile at z = 4 from Womersley's,
/// over a period.
double error_half_way(bool with_profile) {
  constexpr double radius = 8.6, tau = 0.6, alpha = 4, top = 0.01;  // a period of 872 steps: sound is far faster
  constexpr int length = 26;
  const double nu = (tau - 0.5) / 3, period = 2 * pi * radius * radius / (alpha * alpha * nu);
  Table table;
  table.cosine = Cosine{.mean = 0, .amplitude = top, .period = period};
  const Womersley wave(table);  // in lattice units
  LatticeRanks tube_of(tube(radius, length), 2, {.tau = tau, .wall = lattice::Wall::bouzidi});
  const double centre = std::ceil(radius) + 1;
  std::vector<double> now(2 * wave.angular_frequencies().size());
  if (with_profile)
    for (auto& r : tube_of.ranks()) {
      std::vector<double> values;
      for (const auto& link : r.opening_links(0)) {
        const double at = std::hypot(link.point[0] - centre, link.point[1] - centre) / radius;
        values.push_back(std::max(0.0, 2 * (1 - at * at)));
        for (const double omega : wave.angular_frequencies()) {
          const auto profile = at < 1 ? womersley_profile(radius * std::sqrt(omega / nu), at) : 0;
          values.insert(values.end(), {profile.real(), profile.imag()});
        }
      }
      r.set_opening_profiles(0, values);
    }
  tube_of.set_opening(1, {OpeningState::Kind::pressure, 1, 0});
  double wrong = 0, all = 0;
  for (int k = 0; k < int(3 * period); ++k) {
    tube_of.set_opening(0, {OpeningState::Kind::velocity, 1, with_profile ? wave.rest(k + 1) : table.at(k + 1)});
    wave.amplitudes(k + 1, now);
    if (with_profile)
      for (auto& r : tube_of.ranks()) r.set_opening_amplitudes(0, now);
    const bool is_seen = k > 2 * period && k % 20 == 0;
    tube_of.step(is_seen);
    if (!is_seen) continue;
    const double centre = std::ceil(radius) + 1;
    tube_of.for_each([&](const Position& p, const Fluid& fluid) {
      if (p[2] != 4) return;  // near the inlet, where a parabola would not yet have become Womersley's profile
      const double exact = wave.velocity(std::hypot(p[0] - centre, p[1] - centre) / radius, k, radius, nu);
      wrong += std::pow(fluid.velocity[2] - exact, 2);
      all += exact * exact;
    });
  }
  return std::sqrt(wrong / all);
}

TEST(WomersleyInlet, gives_its_profile_from_the_start) {
  const double error = error_half_way(true), parabola = error_half_way(false);
  RecordProperty("error", std::to_string(error));
  RecordProperty("with_a_parabola", std::to_string(parabola));
  EXPECT_LT(error, 0.06);
  EXPECT_LT(error, 0.4 * parabola);
}

}  // namespace

}  // namespace weft::test
