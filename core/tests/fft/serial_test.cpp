// SPDX-License-Identifier: BSD-3-Clause
//
// The serial transforms of every backend that can be used, through their interface.
#include "fft/serial_transform.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdlib>
#include <optional>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "core/tests/fft/reference.hpp"
#include "fft/serial/pocketfft.hpp"

namespace weft::fft {
namespace {

using namespace weft::fft::testing;

std::vector<Backend> available_backends() {
  std::vector<Backend> all;
  for (const auto& entry : backend_names)
    if (is_available(entry.value)) all.push_back(entry.value);
  return all;
}

class SerialTransforms : public ::testing::TestWithParam<Backend> {};
INSTANTIATE_TEST_SUITE_P(Backends, SerialTransforms, ::testing::ValuesIn(available_backends()),
                         [](const auto& backend) { return std::string(backend_names.of(backend.param)); });

// Even, odd, prime and long lengths, and lengths that vectors of any width don't divide.
const std::size_t lengths[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 30, 31, 37, 64, 97, 127, 210};

template <class Real>
constexpr double error_limit = std::is_same_v<Real, double> ? 1e-13 : 1e-5;

// The largest difference / the largest value.
template <class Real>
double difference(const std::vector<std::complex<Real>>& a, const Cube& expected) {
  double most = 0, largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    most = std::max(most, std::abs(std::complex<double>(a[i]) - expected[i]));
    largest = std::max(largest, std::abs(expected[i]));
  }
  return most / largest;
}

template <class Real>
std::vector<std::complex<Real>> values_of(const Cube& cube) {
  std::vector<std::complex<Real>> values;
  for (const auto v : cube) values.push_back(as<std::complex<Real>>(v));
  return values;
}

template <class Real>
void transforms_lines(Backend backend) {
  for (const auto n : lengths)
    for (const std::size_t lines : {1, 5}) {
      const Size3 size{lines, 1, n};
      const auto cube = noise_cube(size, false);
      for (const bool forward : {true, false}) {
        Cube expected;
        for (std::size_t l = 0; l < lines; ++l) {
          const auto line = direct({cube.begin() + static_cast<std::ptrdiff_t>(l * n),
                                    cube.begin() + static_cast<std::ptrdiff_t>((l + 1) * n)},
                                   {1, 1, n}, forward ? -1 : 1);
          expected.insert(expected.end(), line.begin(), line.end());
        }
        const auto in = values_of<Real>(cube);
        auto copy = in;
        std::vector<std::complex<Real>> out(in.size());
        SerialTransform<Real>(forward ? TransformKind::forward : TransformKind::backward, {{n, 1, 1}}, {{lines, n, n}},
                              Effort::estimate, backend)
            .execute(copy.data(), out.data());
        EXPECT_LT(difference(out, expected), error_limit<Real>) << n;
        EXPECT_EQ(copy, in) << "The input has changed.";
      }
    }
}

TEST_P(SerialTransforms, are_the_sums_by_definition) {
  transforms_lines<double>(GetParam());
  transforms_lines<float>(GetParam());
}

// Rows with padding, of which no number may change, on both sides; the first axis is repeated, the others transformed.
template <class Real>
void transforms_real_fields(Backend backend) {
  for (const auto n : lengths)
    for (const std::size_t rows : {1, 6, 11}) {
      constexpr std::size_t fields = 3;
      const Real untouched = 77;
      const std::size_t half = n / 2 + 1, real_row = n + 3, row = half + 2;
      const std::size_t real_field = rows * real_row + 1, field = rows * row + 5;
      std::vector<Real> in(fields * real_field, untouched);
      std::vector<std::complex<Real>> out(fields * field, untouched);
      Cube expected(out.size(), untouched);
      for (std::size_t f = 0; f < fields; ++f) {
        const auto cube = noise_cube({1, rows, n}, true, f), sums = direct(cube, {1, rows, n});
        for (std::size_t r = 0; r < rows; ++r) {
          for (std::size_t i = 0; i < n; ++i)
            in[f * real_field + r * real_row + i] = static_cast<Real>(cube[r * n + i].real());
          for (std::size_t i = 0; i < half; ++i) expected[f * field + r * row + i] = sums[r * n + i];
        }
      }
      const auto given = in;
      SerialTransform<Real>(TransformKind::real_forward, {{rows, real_row, row}, {n, 1, 1}},
                            {{fields, real_field, field}}, Effort::estimate, backend)
          .execute(in.data(), out.data());
      EXPECT_LT(difference(out, expected), error_limit<Real>) << rows << " x " << n;
      EXPECT_EQ(in, given) << "The input has changed.";

      std::vector<Real> back(in.size(), untouched);
      SerialTransform<Real>(TransformKind::real_backward, {{rows, row, real_row}, {n, 1, 1}},
                            {{fields, field, real_field}}, Effort::estimate, backend)
          .execute(out.data(), back.data());
      for (std::size_t f = 0; f < fields; ++f)
        for (std::size_t at = 0; at < real_field; ++at) {
          const bool is_padding = at % real_row >= n || at / real_row >= rows;
          const double factor = is_padding ? 1 : static_cast<double>(n * rows);
          const auto i = f * real_field + at;
          ASSERT_NEAR(static_cast<double>(back[i]) / factor, static_cast<double>(given[i]), 2 * error_limit<Real>)
              << rows << " x " << n << ", " << at;
        }
    }
}

TEST_P(SerialTransforms, of_real_fields_with_padded_rows) {
  transforms_real_fields<double>(GetParam());
  transforms_real_fields<float>(GetParam());
}

TEST_P(SerialTransforms, strides_of_both_sides) {
  const Size3 n{1, 3, 5};
  const auto cube = noise_cube(n, false), expected = direct(cube, n);
  Cube out(3 * 5);  // transposed
  const SerialTransform<double> serial(TransformKind::forward, {{3, 5, 1}, {5, 1, 3}}, {}, Effort::measure, GetParam());
  serial.execute(cube.data(), out.data());
  for (std::size_t y = 0; y < 3; ++y)
    for (std::size_t z = 0; z < 5; ++z) EXPECT_LT(std::abs(out[z * 3 + y] - expected[y * 5 + z]), 1e-13);
}

TEST_P(SerialTransforms, of_three_axes_and_of_the_outer_one) {
  const Size3 n{6, 7, 9};
  const auto cube = noise_cube(n, false);
  Cube out(cube.size());
  SerialTransform<double>(TransformKind::forward, {{6, 63, 63}, {7, 9, 9}, {9, 1, 1}}, {}, Effort::estimate, GetParam())
      .execute(cube.data(), out.data());
  EXPECT_LT(difference(out, direct(cube, n)), 1e-13);
  SerialTransform<double>(TransformKind::forward, {{6, 63, 63}}, {{7, 9, 9}, {9, 1, 1}}, Effort::estimate, GetParam())
      .execute(cube.data(), out.data());
  Cube expected(cube.size());
  for (std::size_t at = 0; at < 63; ++at) {
    Cube line;
    for (std::size_t x = 0; x < 6; ++x) line.push_back(cube[x * 63 + at]);
    line = direct(line, {6, 1, 1});
    for (std::size_t x = 0; x < 6; ++x) expected[x * 63 + at] = line[x];
  }
  EXPECT_LT(difference(out, expected), 1e-13);
}

TEST_P(SerialTransforms, arrays_aligned_to_nothing) {
  const Size3 n{1, 1, 8};
  const auto cube = noise_cube(n, false), expected = direct(cube, n);
  std::vector<double> in(17), out(17);
  auto* from = reinterpret_cast<std::complex<double>*>(in.data() + 1);
  auto* to = reinterpret_cast<std::complex<double>*>(out.data() + 1);
  std::copy(cube.begin(), cube.end(), from);
  SerialTransform<double>(TransformKind::forward, {{8, 1, 1}}, {}, Effort::measure, GetParam()).execute(from, to);
  for (std::size_t k = 0; k < 8; ++k) EXPECT_LT(std::abs(to[k] - expected[k]), 1e-13);
}

TEST_P(SerialTransforms, without_points_do_nothing) {
  SerialTransform<double>(TransformKind::forward, {{4, 0, 0}}, {{0, 1, 1}}, Effort::measure, GetParam())
      .execute(nullptr, nullptr);
  EXPECT_FALSE(SerialTransform<double>());
}

TEST_P(SerialTransforms, are_planned_and_executed_by_many_threads) {
  std::vector<std::thread> threads;
  std::vector<Cube> results(4);
  const auto cube = noise_cube({1, 16, 30}, false);
  const SerialTransform<double> shared(TransformKind::forward, {{16, 30, 30}, {30, 1, 1}}, {}, Effort::estimate,
                                       GetParam());
  for (auto& result : results)
    threads.emplace_back([&] {
      for (int repeat = 0; repeat < 20; ++repeat) {
        for (std::size_t n = 2; n < 22; ++n) {  // more lengths than are kept
          Cube line(n);
          SerialTransform<double>(TransformKind::forward, {{n, 1, 1}}, {}, Effort::estimate, GetParam())
              .execute(cube.data(), line.data());
        }
        result.resize(cube.size());
        shared.execute(cube.data(), result.data());
      }
    });
  for (auto& thread : threads) thread.join();
  const auto expected = direct(cube, {1, 16, 30});
  for (const auto& result : results) EXPECT_LT(difference(result, expected), 1e-13);
}

TEST(SerialBackends, differ_by_rounding_only) {
  const Size3 n{8, 45, 53};
  const auto cube = noise_cube(n, false);
  std::optional<Cube> first;
  for (const auto backend : available_backends()) {
    Cube out(cube.size());
    SerialTransform<double>(TransformKind::forward, {{8, 2385, 2385}, {45, 53, 53}, {53, 1, 1}}, {}, Effort::measure,
                            backend)
        .execute(cube.data(), out.data());
    if (first) {
      EXPECT_LT(difference(out, *first), 1e-14) << backend_names.of(backend);
    }
    first = out;
  }
}

TEST(SerialBackends, pocketfft_gives_the_same_bits_with_every_instruction_set) {
  for (const std::size_t n : lengths) {
    const auto cube = noise_cube({1, 7, n}, false);
    const auto step = static_cast<std::ptrdiff_t>(n);
    const serial::PocketfftCall of_double{TransformKind::forward, {7, n}, {16 * step, 16}, {16 * step, 16}, {0, 1}};
    const serial::PocketfftCall of_float{TransformKind::real_forward, {7, n}, {4 * step, 4}, {8 * step, 8}, {0, 1}};
    const std::vector<float> reals = [&] {
      std::vector<float> values;
      for (const auto v : cube) values.push_back(static_cast<float>(v.real()));
      return values;
    }();
    std::optional<Cube> first;
    std::optional<std::vector<std::complex<float>>> first_float;
    for (const auto* kernels : serial::usable_pocketfft_kernels()) {
      Cube out(cube.size());
      kernels->of_double(of_double, cube.data(), out.data());
      std::vector<std::complex<float>> out_float(cube.size());
      kernels->of_float(of_float, reals.data(), out_float.data());
      EXPECT_EQ(out, first.value_or(out)) << n;
      EXPECT_EQ(out_float, first_float.value_or(out_float)) << n;
      EXPECT_LT(difference(out, direct(cube, {1, 7, n})), 1e-13);
      first = out;
      first_float = out_float;
    }
  }
}

// Sets WEFT_FFT_BACKEND (null: unset), and resets it at the end.
class Variable {
 public:
  explicit Variable(const char* value) {
    if (const char* now = std::getenv(name)) before_ = now;
    set(value);
  }
  ~Variable() { set(before_ ? before_->c_str() : nullptr); }

 private:
  static constexpr const char* name = "WEFT_FFT_BACKEND";
  static void set(const char* value) { value != nullptr ? setenv(name, value, 1) : unsetenv(name); }
  std::optional<std::string> before_;
};

TEST(SerialBackends, the_environment_chooses) {
  for (const char* nothing : {static_cast<const char*>(nullptr), ""}) {
    const Variable variable(nothing);
    EXPECT_EQ(default_backend(), is_available(Backend::fftw) ? Backend::fftw : Backend::pocketfft);
  }
  {
    const Variable variable("pocketfft");
    EXPECT_EQ(default_backend(), Backend::pocketfft);
    EXPECT_EQ(text_of(Backend::pocketfft).substr(0, 9), "pocketfft");
  }
  {
    const Variable variable("fftw");
    if (is_available(Backend::fftw)) {
      EXPECT_EQ(default_backend(), Backend::fftw);
      EXPECT_EQ(text_of(Backend::fftw).substr(0, 6), "fftw-3");
    } else {
      EXPECT_THROW(default_backend(), InputError);
    }
  }
  const Variable variable("mkl");
  try {
    default_backend();
    FAIL();
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("WEFT_FFT_BACKEND) 'mkl'. Use one of: fftw, pocketfft."));
  }
}

TEST(SerialBackends, efforts_have_names) {
  for (const auto effort : {Effort::estimate, Effort::measure, Effort::patient})
    EXPECT_EQ(effort_names.named(effort_names.of(effort)), effort);
  EXPECT_THROW(effort_names.named("hard"), InputError);
}

}  // namespace
}  // namespace weft::fft
