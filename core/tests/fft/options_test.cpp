// SPDX-License-Identifier: BSD-3-Clause
//
// Options that may not change the result, and options that change it in a known way.
#include <gtest/gtest.h>

#include <string>

#include "core/tests/fft/reference.hpp"
#include "tests/support/core_ranks.hpp"

namespace weft::fft {
namespace {

using namespace weft::testing;
using namespace weft::fft::testing;
using Kind = ProgressOptions::Kind;
using Numbers = std::vector<std::complex<double>>;

// A spectrum, and its inverse transform, with the given options.
template <class Value>
std::pair<Numbers, std::vector<Value>> both_ways(Transport& world, const Size3& n, const Options& options) {
  Fft<Value> fft(world, n, options);
  std::vector<Value> field(fft.field_size()), back(field.size());
  scatter(noise_cube(n, !Fft<Value>::is_complex), fft.field(), n, field.data());
  Numbers spectrum(fft.spectrum_size());
  for (int twice = 0; twice < 2; ++twice) {
    fft.forward(field, spectrum);
    fft.inverse(spectrum, back);
  }
  return {spectrum, back};
}

TEST(FftOptions, tile_window_progress_and_carrier_change_no_bit) {
  on(any_ranks, [](Transport& world) {
    const Size3 n{13, 11, 6};
    for (const auto decomposition : {Decomposition::slabs, Decomposition::pencils}) {
      Options options{.decomposition = decomposition, .effort = Effort::estimate, .tile = 1, .window = 0};
      const auto expected = both_ways<double>(world, n, options);
      for (const auto carrier : {Carrier::messages, Carrier::collective, Carrier::shared_memory})
        for (const auto kind : {Kind::passive, Kind::polling, Kind::thread})
          for (const std::size_t tile : {1, 3, 20})
            for (const std::size_t window : {0, 2, 30}) {
              options.carrier = carrier;
              options.tile = tile;
              options.window = window;
              options.progress =
                  std::make_shared<Progress>(world, ProgressOptions{.kind = kind, .interval_seconds = 1e-6});
              const bool same = both_ways<double>(world, n, options) == expected;
              EXPECT_TRUE(same) << "tile " << tile << ", window " << window << ", " << name_of(kind);
            }
    }
  });
}

TEST(FftOptions, backends_differ_by_rounding_only) {
  on(any_ranks, [](Transport& world) {
    const Size3 n{12, 10, 14};
    for (const auto decomposition : {Decomposition::slabs, Decomposition::pencils})
      for (const auto& entry : backend_names) {
        if (!is_available(entry.value)) continue;
        const auto cube = noise_cube(n, true);
        Fft<double> fft(world, n, {.decomposition = decomposition, .backend = entry.value});
        EXPECT_EQ(fft.backend(), entry.value);
        std::vector<double> field(fft.field_size()), back(field.size());
        Numbers spectrum(fft.spectrum_size());
        scatter(cube, fft.field(), n, field.data());
        fft.forward(field, spectrum);
        fft.inverse(spectrum, back);
        EXPECT_LT(difference(world, back.data(), fft.field(), cube, n), 1e-14) << entry.name;
        fft.forward(field, spectrum);
        EXPECT_LT(difference(world, spectrum.data(), fft.spectrum(), direct(cube, n), n), 1e-13) << entry.name;
      }
  });
}

TEST(FftOptions, a_batch_is_fields_one_after_the_other) {
  on(any_ranks, [](Transport& world) {
    const Size3 n{6, 5, 7};
    for (const bool transposed : {false, true}) {
      Fft<double> fft(world, n, {.batch = 3, .transposed = transposed, .effort = Effort::estimate});
      std::vector<double> field(fft.field_size()), back(field.size());
      Numbers spectrum(fft.spectrum_size());
      const auto f = fft.field().size(), s = fft.spectrum().size();
      for (std::size_t b = 0; b < 3; ++b) scatter(noise_cube(n, true, b), fft.field(), n, field.data() + b * f);
      fft.forward(field, spectrum);
      fft.inverse(spectrum, back);
      for (std::size_t b = 0; b < 3; ++b) {
        const auto cube = noise_cube(n, true, b);
        EXPECT_LT(difference(world, spectrum.data() + b * s, fft.spectrum(), direct(cube, n), n), 1e-12);
        EXPECT_LT(difference(world, back.data() + b * f, fft.field(), cube, n), 1e-12);
      }
    }
  });
}

TEST(FftOptions, normalisation_says_which_way_is_scaled) {
  on(any_ranks, [](Transport& world) {
    const Size3 n{4, 6, 5};
    const double points = 120;
    const auto cube = noise_cube(n, false), expected = direct(cube, n);
    const struct {
      Normalisation normalisation;
      double forward, both;
    } cases[] = {{Normalisation::none, 1, points},
                 {Normalisation::inverse, 1, 1},
                 {Normalisation::unitary, 1 / std::sqrt(points), 1},
                 {Normalisation::forward, 1 / points, 1}};
    for (const auto decomposition : {Decomposition::slabs, Decomposition::pencils})
      for (const auto& c : cases)
        for (const bool transposed : {false, true}) {
          Fft<std::complex<double>> fft(world, n,
                                        {.decomposition = decomposition,
                                         .transposed = transposed,
                                         .normalisation = c.normalisation,
                                         .effort = Effort::estimate});
          Numbers field(fft.field_size()), spectrum(fft.spectrum_size());
          scatter(cube, fft.field(), n, field.data());
          fft.forward(field, spectrum);
          EXPECT_LT(difference(world, spectrum.data(), fft.spectrum(), expected, n, c.forward), 1e-12);
          fft.inverse(spectrum, field);
          EXPECT_LT(difference(world, field.data(), fft.field(), cube, n, c.both), 1e-12);
        }
  });
}

TEST(FftOptions, effort_may_only_change_rounding) {
  on(any_ranks, [](Transport& world) {
    const Size3 n{8, 6, 10};
    const auto cube = noise_cube(n, true), expected = direct(cube, n);
    for (const auto effort : {Effort::estimate, Effort::measure, Effort::patient}) {
      Fft<double> fft(world, n, {.effort = effort});
      std::vector<double> field(fft.field_size());
      Numbers spectrum(fft.spectrum_size());
      scatter(cube, fft.field(), n, field.data());
      fft.forward(field, spectrum);
      EXPECT_LT(difference(world, spectrum.data(), fft.spectrum(), expected, n), 1e-12);
    }
  });
}

TEST(FftOptions, mistakes_are_told) {
  on(any_ranks, [](Transport& world) {
    EXPECT_NE(error_of([&] { Fft<double>(world, {4, 0, 4}); }).find("4x0x4"), std::string::npos);
    EXPECT_NE(error_of([&] { Fft<double>(world, {4, 4, 4}, {.batch = 0}); }).find("batch"), std::string::npos);
    const Options five{.decomposition = Decomposition::pencils, .rows = 5};
    EXPECT_NE(error_of([&] { Fft<double>(world, {4, 4, 4}, five); }).find("5 rows"), std::string::npos);
    Fft<double> fft(world, {4, 4, 4});
    if (fft.field_size() == 0) return;
    std::vector<double> field(fft.field_size() - 1);
    Numbers spectrum(fft.spectrum_size());
    const auto advice = "Give it " + std::to_string(fft.field_size());
    EXPECT_NE(error_of([&] { fft.forward(field, spectrum); }).find(advice), std::string::npos);
  });
}

}  // namespace
}  // namespace weft::fft
