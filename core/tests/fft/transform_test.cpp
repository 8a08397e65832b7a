// SPDX-License-Identifier: BSD-3-Clause
//
// Every type of values, size, decomposition and memory layout, compared with sums by the definition.
#include <gtest/gtest.h>

#include <tuple>

#include "core/tests/fft/reference.hpp"
#include "tests/support/core_ranks.hpp"

namespace weft::fft {
namespace {

using namespace weft::testing;
using namespace weft::fft::testing;

const std::vector<Size3> sizes = {{1, 1, 1}, {7, 5, 3},   {8, 8, 8},   {1, 9, 4},   {6, 1, 5},
                                  {2, 3, 1}, {12, 10, 9}, {6, 5, 112}, {16, 6, 230}};

template <class Value>
class TransformTest : public ::testing::Test {};
using Values = ::testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(TransformTest, Values);

// Forward compared with the sums, inverse with the field, out of place; the input must stay unchanged.
template <class Value>
void check(Transport& world, const Size3& n, const Options& options) {
  using Complex = typename Fft<Value>::Complex;
  SCOPED_TRACE(text_of(n) + (options.decomposition == Decomposition::slabs ? " slabs" : " pencils") +
               (options.transposed ? " transposed" : "") + (options.padded ? " padded" : ""));
  const auto cube = noise_cube(n, !Fft<Value>::is_complex), expected = direct(cube, n);
  Fft<Value> fft(world, n, options);
  std::vector<Value> field(fft.field_size());
  scatter(cube, fft.field(), n, field.data());
  const auto before = field;
  std::vector<Complex> spectrum(fft.spectrum_size());
  fft.forward(field, spectrum);
  EXPECT_LT(difference(world, spectrum.data(), fft.spectrum(), expected, n), allowed<Value>);
  EXPECT_TRUE(before == field);

  const auto kept = spectrum;
  std::vector<Value> back(fft.field_size());
  fft.inverse(spectrum, back);
  EXPECT_LT(difference(world, back.data(), fft.field(), cube, n), allowed<Value>);
  EXPECT_TRUE(kept == spectrum);

  const auto field_bytes = fft.field_size() * sizeof(Value);
  std::vector<Complex> place(std::max(fft.spectrum_size(), (field_bytes + sizeof(Complex) - 1) / sizeof(Complex)));
  if (Fft<Value>::is_complex || options.padded) {
    const std::span field_there(static_cast<Value*>(static_cast<void*>(place.data())), fft.field_size());
    std::copy(before.begin(), before.end(), field_there.begin());
    fft.forward(field_there, place);
    EXPECT_LT(difference(world, place.data(), fft.spectrum(), expected, n), allowed<Value>);
    fft.inverse(place, field_there);
    EXPECT_LT(difference(world, field_there.data(), fft.field(), cube, n), allowed<Value>);
  }
}

TYPED_TEST(TransformTest, is_the_sum_of_the_definition) {
  on(any_ranks, [](Transport& world) {
    for (const auto& n : sizes)
      for (const auto decomposition : {Decomposition::slabs, Decomposition::pencils})
        for (const bool transposed : {false, true})  // real transforms are sometimes padded
          check<TypeParam>(world, n,
                           {.decomposition = decomposition,
                            .transposed = transposed,
                            .padded = !Fft<TypeParam>::is_complex && (n[2] % 2 == 0 || n[0] == 7),
                            .effort = Effort::estimate});
  });
}

TYPED_TEST(TransformTest, pencils_of_any_grid) {
  on(any_ranks, [](Transport& world) {
    for (const std::size_t rows : {1, 2, 4}) {
      if (static_cast<std::size_t>(world.size()) % rows != 0) continue;
      for (const bool transposed : {false, true})
        check<TypeParam>(world, {7, 6, 5},
                         {.decomposition = Decomposition::pencils,
                          .rows = rows,
                          .transposed = transposed,
                          .effort = Effort::estimate});
    }
  });
}

TEST(Transform, is_the_serial_one) {
  on(any_ranks, [](Transport& world) {
    const Size3 n{48, 40, 36};
    const auto cube = noise_cube(n, false);
    Cube expected(cube.size());
    const SerialTransform<double> serial(SerialTransform<double>::Kind::forward,
                                         {{n[0], n[1] * n[2], n[1] * n[2]}, {n[1], n[2], n[2]}, {n[2], 1, 1}}, {},
                                         Effort::estimate);
    serial.execute(cube.data(), expected.data());
    Fft<std::complex<double>> fft(world, n);
    std::vector<std::complex<double>> field(fft.field_size()), spectrum(fft.spectrum_size());
    scatter(cube, fft.field(), n, field.data());
    fft.forward(field, spectrum);
    EXPECT_LT(difference(world, spectrum.data(), fft.spectrum(), expected, n), 1e-12);
  });
}

}  // namespace
}  // namespace weft::fft
