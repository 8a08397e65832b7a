// SPDX-License-Identifier: BSD-3-Clause
//
// The serial transforms, through their interface.
#include "fft/serial_transform.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <string>

#include "tests/libs/fft/reference.hpp"

namespace weft::fft {
namespace {

using namespace weft::fft::testing;
using Serial = SerialTransform<double>;

TEST(SerialTransform, strides_of_both_sides) {
  const Size3 n{1, 3, 5};
  const auto cube = noise_cube(n, false), expected = direct(cube, n);
  Cube out(3 * 5);  // transposed
  const Serial serial(Serial::Kind::forward, {{3, 5, 1}, {5, 1, 3}}, {}, Effort::measure);
  serial.execute(cube.data(), out.data());
  for (std::size_t y = 0; y < 3; ++y)
    for (std::size_t z = 0; z < 5; ++z) EXPECT_LT(std::abs(out[z * 3 + y] - expected[y * 5 + z]), 1e-13);
}

TEST(SerialTransform, arrays_aligned_to_nothing) {
  const Size3 n{1, 1, 8};
  const auto cube = noise_cube(n, false), expected = direct(cube, n);
  std::vector<double> in(17), out(17);
  auto* from = reinterpret_cast<std::complex<double>*>(in.data() + 1);
  auto* to = reinterpret_cast<std::complex<double>*>(out.data() + 1);
  std::copy(cube.begin(), cube.end(), from);
  Serial(Serial::Kind::forward, {{8, 1, 1}}, {}, Effort::measure).execute(from, to);
  for (std::size_t k = 0; k < 8; ++k) EXPECT_LT(std::abs(to[k] - expected[k]), 1e-13);
}

TEST(SerialTransform, without_points_it_does_nothing) {
  Serial(Serial::Kind::forward, {{4, 0, 0}}, {{0, 1, 1}}, Effort::measure).execute(nullptr, nullptr);
  EXPECT_FALSE(Serial());
}

TEST(SerialTransform, efforts_have_names) {
  for (const auto effort : {Effort::estimate, Effort::measure, Effort::patient})
    EXPECT_EQ(effort_named(name_of(effort)), effort);
  EXPECT_THROW(effort_named("hard"), InputError);
}

}  // namespace
}  // namespace weft::fft
