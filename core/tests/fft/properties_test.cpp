// SPDX-License-Identifier: BSD-3-Clause
//
// Properties of every Fourier transform.
#include <gtest/gtest.h>

#include "core/tests/fft/reference.hpp"
#include "tests/support/core_ranks.hpp"

namespace weft::fft {
namespace {

using namespace weft::testing;
using namespace weft::fft::testing;
using Numbers = std::vector<std::complex<double>>;

const Size3 n{9, 8, 10};

Numbers transform(Fft<std::complex<double>>& fft, const Cube& cube) {
  Numbers field(fft.field_size()), spectrum(fft.spectrum_size());
  scatter(cube, fft.field(), n, field.data());
  fft.forward(field, spectrum);
  return spectrum;
}

TEST(FftProperties, energy_is_kept) {
  on(any_ranks, [](Transport& world) {
    for (const auto decomposition : {Decomposition::slabs, Decomposition::pencils}) {
      Fft<std::complex<double>> fft(world, n,
                                    {.decomposition = decomposition, .normalisation = Normalisation::unitary});
      const auto cube = noise_cube(n, false);
      double field = 0, spectrum = 0;
      for (const auto v : cube) field += std::norm(v);
      for (const auto v : transform(fft, cube)) spectrum += std::norm(v);
      EXPECT_NEAR(all_reduce(world, spectrum, sum<double>()) / field, 1, 1e-12);
    }
  });
}

TEST(FftProperties, a_shifted_field_has_a_turned_spectrum) {
  on(any_ranks, [](Transport& world) {
    Fft<std::complex<double>> fft(world, n);
    const auto cube = noise_cube(n, false);
    const Size3 by{2, 3, 7};
    Cube shifted(cube.size()), turned = direct(cube, n);
    for (std::size_t x = 0; x < n[0]; ++x)
      for (std::size_t y = 0; y < n[1]; ++y)
        for (std::size_t z = 0; z < n[2]; ++z) {
          const auto at = (x * n[1] + y) * n[2] + z;
          shifted[((x + by[0]) % n[0] * n[1] + (y + by[1]) % n[1]) * n[2] + (z + by[2]) % n[2]] = cube[at];
          const auto part = [](std::size_t k, std::size_t s, std::size_t count) {
            return static_cast<double>(k * s) / static_cast<double>(count);
          };
          const double turns = part(x, by[0], n[0]) + part(y, by[1], n[1]) + part(z, by[2], n[2]);
          turned[at] *= std::polar(1.0, -2 * std::numbers::pi * turns);
        }
    const auto spectrum = transform(fft, shifted);
    EXPECT_LT(difference(world, spectrum.data(), fft.spectrum(), turned, n), 1e-12);
  });
}

TEST(FftProperties, a_wave_is_one_number) {
  on(any_ranks, [](Transport& world) {
    Fft<std::complex<double>> fft(world, n, {.normalisation = Normalisation::forward});
    Cube wave(n[0] * n[1] * n[2]), expected(wave.size());
    for (std::size_t i = 0; i < wave.size(); ++i) {
      const double x = static_cast<double>(i / (n[1] * n[2])) / 9, y = static_cast<double>(i / n[2] % n[1]) / 8,
                   z = static_cast<double>(i % n[2]) / 10;
      wave[i] = std::polar(1.0, 2 * std::numbers::pi * (4 * x + 1 * y - 3 * z));
    }
    expected[(4 * n[1] + 1) * n[2] + 7] = 1;
    const auto spectrum = transform(fft, wave);
    EXPECT_LT(difference(world, spectrum.data(), fft.spectrum(), expected, n), 1e-12);
  });
}

}  // namespace
}  // namespace weft::fft
