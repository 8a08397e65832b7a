// SPDX-License-Identifier: BSD-3-Clause
//
// Transforms of a program's own boxes.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "core/tests/fft/reference.hpp"
#include "tests/support/core_ranks.hpp"

namespace weft::fft {
namespace {

using namespace weft::testing;
using namespace weft::fft::testing;
using Numbers = std::vector<std::complex<double>>;

// Cuts a grid at random into at most so many boxes, of random orders and rows, and deals them to the ranks; the others
// have none. The same on all ranks for the same seed.
std::vector<Box> random_boxes(const Size3& n, int ranks, unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](std::size_t limit) { return std::size_t{random()} % limit; };
  std::vector<Box> boxes{{.axes = {Block{0, n[0]}, Block{0, n[1]}, Block{0, n[2]}}}};
  const auto all = static_cast<std::size_t>(ranks), wanted = 1 + below(all);
  for (int tries = 0; tries < 50 && boxes.size() < wanted; ++tries) {
    const auto which = below(boxes.size());
    auto& axis = boxes[which].axes[below(3)];
    if (axis.count < 2) continue;
    const auto low = 1 + below(axis.count - 1), high = axis.count - low;
    axis.count = low;
    auto other = boxes[which];
    axis = {axis.first + low, high};
    boxes.push_back(other);
  }
  boxes.resize(all);
  std::shuffle(boxes.begin(), boxes.end(), random);
  for (auto& box : boxes) {
    std::shuffle(box.order.begin(), box.order.end(), random);
    if (box.axes[0].count > 0 && below(2) == 0) box.row = box.axes[box.order[2]].count + below(4);
  }
  return boxes;
}

std::size_t mine(const Transport& world) { return static_cast<std::size_t>(world.rank()); }

template <class Value>
Size3 waves_of(const Size3& n) {
  return {n[0], n[1], Fft<Value>::is_complex ? n[2] : n[2] / 2 + 1};
}

// The spectrum of a real field, along z the first half: a cube of its own.
Cube half_of(const Cube& cube, const Size3& n, const Size3& waves) {
  Cube half;
  for (std::size_t i = 0; i < n[0] * n[1]; ++i)
    for (std::size_t z = 0; z < waves[2]; ++z) half.push_back(cube[i * n[2] + z]);
  return half;
}

template <class Value>
void check(Transport& world, const Size3& n, const Options& options) {
  SCOPED_TRACE(text_of(n) + (options.decomposition == Decomposition::pencils ? " pencils" : ""));
  using Complex = typename Fft<Value>::Complex;
  const auto waves = waves_of<Value>(n);
  const auto cube = noise_cube(n, !Fft<Value>::is_complex), expected = half_of(direct(cube, n), n, waves);
  Fft<Value> fft(world, n, options);
  std::vector<Value> field(fft.field_size()), back(field.size());
  std::vector<Complex> spectrum(fft.spectrum_size());
  scatter(cube, fft.field(), n, field.data());
  const auto before = field;
  for (int twice = 0; twice < 2; ++twice) {
    fft.forward(field, spectrum);
    EXPECT_LT(difference(world, spectrum.data(), fft.spectrum(), expected, waves), allowed<Value>);
    EXPECT_TRUE(before == field);
    const auto kept = spectrum;
    fft.inverse(spectrum, back);
    EXPECT_LT(difference(world, back.data(), fft.field(), cube, n), allowed<Value>);
    EXPECT_TRUE(kept == spectrum);
  }
}

template <class Value>
class BoxesTest : public ::testing::Test {};
using Values = ::testing::Types<double, float, std::complex<double>, std::complex<float>>;
TYPED_TEST_SUITE(BoxesTest, Values);

TYPED_TEST(BoxesTest, any_boxes_of_field_and_spectrum) {
  on(any_ranks, [](Transport& world) {
    unsigned seed = 0;
    for (const auto& n : std::vector<Size3>{{7, 5, 3}, {8, 8, 8}, {1, 9, 4}, {6, 1, 5}, {1, 1, 1}, {12, 10, 9}})
      for (const auto decomposition : {Decomposition::automatic, Decomposition::pencils})
        for (const int given : {1, 2, 3}) {
          Options options{.decomposition = decomposition, .effort = Effort::estimate};
          const auto fields = random_boxes(n, world.size(), ++seed);
          const auto spectra = random_boxes(waves_of<TypeParam>(n), world.size(), ++seed);
          if (given != 2) options.field_box = fields[mine(world)];
          if (given != 1) options.spectrum_box = spectra[mine(world)];
          options.transposed = given == 1;
          options.padded = given == 2 && !Fft<TypeParam>::is_complex;
          check<TypeParam>(world, n, options);
        }
  });
}

TEST(Boxes, that_are_the_transforms_layout_are_not_sent) {
  on(any_ranks, [](Transport& world) {
    for (const auto& n : std::vector<Size3>{{6, 9, 10}, {2, 3, 10}})  // of the second, some ranks have no points
      for (std::size_t rows = 1; rows <= 4; ++rows)
        for (const bool transposed : {false, true}) {
          if (static_cast<std::size_t>(world.size()) % rows != 0) continue;
          const auto grid = make_grid(n, world.size(), world.rank(), Decomposition::pencils, rows);
          auto field = field_box(n, grid);
          field.row += 3;
          const Options options{.field_box = field,
                                .spectrum_box = spectrum_box(waves_of<double>(n), grid, transposed)};
          Fft<double> fft(world, n, options);
          EXPECT_FALSE(fft.sends_field());
          EXPECT_FALSE(fft.sends_spectrum());
          EXPECT_EQ(fft.grid().rows, rows);
          check<double>(world, n, options);
          auto other = options;
          other.field_box->order = {2, 1, 0};
          other.field_box->row = 0;
          EXPECT_TRUE(Fft<double>(world, n, other).sends_field());
          EXPECT_FALSE(Fft<double>(world, n, other).sends_spectrum());
        }
  });
}

TEST(Boxes, rounds_carrier_and_progress_change_no_bit) {
  on({1, 3}, [](Transport& world) {
    using Kind = ProgressOptions::Kind;
    const Size3 n{32, 60, 64};  // 7 rounds, 3 or 2
    const auto box = random_boxes(n, world.size(), 7)[mine(world)];
    const auto waves = random_boxes(n, world.size(), 8)[mine(world)];
    Numbers field;
    for (const auto decomposition : {Decomposition::slabs, Decomposition::pencils}) {
      Options options{.decomposition = decomposition,
                      .batch = 2,
                      .field_box = box,
                      .spectrum_box = waves,
                      .effort = Effort::estimate,
                      .window = 0};
      const auto run = [&] {
        Fft<std::complex<double>> fft(world, n, options);
        if (field.empty()) {
          field.resize(fft.field_size());
          for (std::size_t b = 0; b < 2; ++b)
            scatter(noise_cube(n, false, b), fft.field(), n, field.data() + b * fft.field().size());
        }
        Numbers back(field.size()), spectrum(fft.spectrum_size());
        fft.forward(field, spectrum);
        fft.inverse(spectrum, back);
        return std::pair{spectrum, back};
      };
      const auto [expected, expected_back] = run();
      double error = 0;
      for (std::size_t i = 0; i < field.size(); ++i) error = std::max(error, std::abs(field[i] - expected_back[i]));
      EXPECT_LT(error, 1e-13);
      options.window = 2;
      for (const auto& [carrier, kind] : {std::pair{Carrier::messages, Kind::passive},
                                          {Carrier::messages, Kind::thread},
                                          {Carrier::collective, Kind::polling},
                                          {Carrier::shared_memory, Kind::thread}}) {
        options.carrier = carrier;
        options.progress = std::make_shared<Progress>(world, ProgressOptions{.kind = kind});
        const auto [spectrum, back] = run();
        EXPECT_TRUE(spectrum == expected) << carrier_names.of(carrier) << ", " << name_of(kind);
        EXPECT_TRUE(back == expected_back) << carrier_names.of(carrier) << ", " << name_of(kind);
      }
    }
  });
}

TEST(Boxes, transform_in_place) {
  on(any_ranks, [](Transport& world) {
    const Size3 n{8, 6, 10};
    const auto cube = noise_cube(n, false), expected = direct(cube, n);
    for (unsigned seed = 0; seed < 6; ++seed) {
      const auto box = random_boxes(n, world.size(), seed)[mine(world)];
      Fft<std::complex<double>> fft(world, n, {.field_box = box, .spectrum_box = box, .effort = Effort::estimate});
      Numbers values(fft.field_size());
      scatter(cube, fft.field(), n, values.data());
      fft.forward(values, values);
      EXPECT_LT(difference(world, values.data(), fft.spectrum(), expected, n), 1e-12);
      fft.inverse(values, values);
      EXPECT_LT(difference(world, values.data(), fft.field(), cube, n), 1e-12);
    }
  });
}

// The error of a transform of 8 x 4 x 6 points in which rank 0 has the first of two boxes and the last rank the second.
std::string refused(Transport& world, const Box& first, const Box& second, bool spectrum = false) {
  Options options;
  auto& box = (spectrum ? options.spectrum_box : options.field_box).emplace();
  if (world.rank() == 0) box = first;
  if (world.rank() == world.size() - 1) box = second;
  const auto text = error_of([&] { Fft<double>(world, {8, 4, 6}, options); });
  const auto all = all_gather(world, text);
  EXPECT_EQ(std::ranges::count(all, text), world.size()) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos);
  return text;
}

TEST(Boxes, mistakes_are_told_on_all_ranks) {
  on({2, 4}, [](Transport& world) {
    const Box low{.axes = {Block{0, 4}, Block{0, 4}, Block{0, 6}}},
        high{.axes = {Block{4, 4}, Block{0, 4}, Block{0, 6}}};
    EXPECT_EQ(refused(world, low, high), "no error");
    const auto last = std::to_string(world.size() - 1);
    auto wrong = high;
    wrong.axes[0] = {3, 5};
    EXPECT_EQ(refused(world, low, wrong),
              "The boxes of the field on ranks 0 and " + last +
                  " overlap ([0, 4) x [0, 4) x [0, 6) and [3, 8) x [0, 4) x [0, 6)). Give each point to one rank.");
    wrong.axes[0] = {5, 3};
    EXPECT_EQ(refused(world, low, wrong),
              "The boxes of the field have 168 of the 192 points of 8x4x6 (24 have no rank). Give each point to one "
              "rank.");
    wrong.axes[0] = {4, 5};
    EXPECT_EQ(refused(world, low, wrong),
              "The box of the field on rank " + last +
                  ", [4, 9) x [0, 4) x [0, 6), is not inside of the field of 8x4x6 points. Give it points from 0 up to "
                  "that size along each axis.");
    wrong.axes[0] = {~std::size_t{0}, 5};
    EXPECT_NE(refused(world, low, wrong).find("not inside"), std::string::npos);
    EXPECT_NE(refused(world, low, high, true).find("spectrum of 8x4x4 points"), std::string::npos);
    wrong = high;
    wrong.order = {0, 2, 2};
    EXPECT_NE(refused(world, low, wrong).find("order of axes (0, 2, 2)"), std::string::npos);
    wrong.order = {2, 1, 0};
    wrong.row = 3;
    EXPECT_NE(refused(world, low, wrong).find("rows of 4 points, but only 3 values"), std::string::npos);
    Options options;
    if (world.rank() != 0) options.field_box = high;
    EXPECT_EQ(error_of([&] {
                Fft<double>(world, {8, 4, 6}, options);
              }),
              "Rank 1 gives a box of the field, and rank 0 none. Give one on all ranks (where there are no points, an "
              "empty one), or on none.");
    options = {.padded = true, .field_box = world.rank() == 0 ? low : world.rank() == 1 ? high : Box{}};
    EXPECT_NE(error_of([&] { Fft<double>(world, {8, 4, 6}, options); }).find("also padded"), std::string::npos);
    const Box all{.axes = {Block{0, 8}, Block{0, 4}, Block{0, 4}}};
    options = {.transposed = true, .spectrum_box = world.rank() == 1 ? all : Box{}};
    EXPECT_NE(error_of([&] { Fft<double>(world, {8, 4, 6}, options); }).find("also transposed"), std::string::npos);
  });
}

}  // namespace
}  // namespace weft::fft
