// SPDX-License-Identifier: BSD-3-Clause
//
// The result is the same for all carriers, with any size and window, memory that changes from call to call, and a
// transform that fails.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "core/tests/fft/reference.hpp"
#include "tests/support/core_ranks.hpp"
#include "tests/support/watched_transport.hpp"

namespace weft::fft {
namespace {

using namespace weft::testing;
using namespace weft::fft::testing;
using Numbers = std::vector<std::complex<double>>;
using Transform = Fft<std::complex<double>>;

constexpr std::array carriers{Carrier::messages, Carrier::collective, Carrier::shared_memory};
constexpr std::array decompositions{Decomposition::slabs, Decomposition::pencils};

// This rank's part of a field.
Numbers share_of(const Cube& cube, const Transform& fft, const Size3& n) {
  Numbers field(fft.field_size());
  scatter(cube, fft.field(), n, field.data());
  return field;
}

TEST(FftCarriers, any_size_and_window_is_the_sum_of_the_definition) {
  on(any_ranks, [](Transport& world) {
    for (const Size3 n : {Size3{7, 5, 3}, Size3{2, 3, 1}, Size3{5, 6, 107}}) {
      const auto cube = noise_cube(n, false), expected = direct(cube, n);
      for (const auto carrier : carriers)
        for (const auto decomposition : decompositions)
          for (const std::size_t window : {1, 8}) {
            SCOPED_TRACE(text_of(n) + " " + carrier_names.of(carrier) + ", window " + std::to_string(window));
            Transform fft(world, n,
                          {.decomposition = decomposition,
                           .effort = Effort::estimate,
                           .tile = 1 + window % 2,
                           .window = window,
                           .carrier = carrier});
            auto field = share_of(cube, fft, n);
            Numbers spectrum(fft.spectrum_size());
            fft.forward(field, spectrum);
            EXPECT_LT(difference(world, spectrum.data(), fft.spectrum(), expected, n), 1e-12);
            fft.inverse(spectrum, field);
            EXPECT_LT(difference(world, field.data(), fft.field(), cube, n), 1e-12);
            field.resize(std::max(field.size(), spectrum.size()));
            fft.forward(field, field);
            EXPECT_LT(difference(world, field.data(), fft.spectrum(), expected, n), 1e-12);
            fft.inverse(field, field);
            EXPECT_LT(difference(world, field.data(), fft.field(), cube, n), 1e-12);
          }
    }
  });
}

TEST(FftCarriers, memory_may_be_another_in_each_call) {
  on(any_ranks, [](Transport& world) {
    const Size3 n{9, 7, 5};
    for (const auto carrier : carriers)
      for (const auto decomposition : decompositions) {
        Transform fft(world, n, {.decomposition = decomposition, .effort = Effort::estimate, .carrier = carrier});
        std::vector<std::array<Numbers, 3>> kept(4);  // all exist at once, so that no two calls have the same memory
        for (std::size_t call = 0; call < kept.size(); ++call) {
          auto& [field, spectrum, back] = kept[call];
          const auto cube = noise_cube(n, false, call);
          field = share_of(cube, fft, n);
          spectrum.resize(fft.spectrum_size());
          back.resize(fft.field_size());
          fft.forward(field, spectrum);
          EXPECT_LT(difference(world, spectrum.data(), fft.spectrum(), direct(cube, n), n), 1e-12);
          fft.inverse(spectrum, back);
          EXPECT_LT(difference(world, back.data(), fft.field(), cube, n), 1e-12);
        }
      }
  });
}

// Boxes that are not the transform's: each rank has some z.
Box layers_of(const Size3& n, const Transport& world) {
  const auto z = block(n[2], static_cast<std::size_t>(world.size()), static_cast<std::size_t>(world.rank()));
  return {.axes = {Block{0, n[0]}, Block{0, n[1]}, z}};
}

TEST(FftCarriers, parts_of_a_transform_leave_the_next_one_right) {
  on(any_ranks, [](Transport& world) {
    const Size3 n{11, 6, 7};
    const auto cube = noise_cube(n, false), expected = direct(cube, n);
    for (const auto carrier : carriers)
      for (const auto decomposition : decompositions) {
        Options options{.decomposition = decomposition, .effort = Effort::estimate, .carrier = carrier};
        if (decomposition == Decomposition::pencils) options.field_box = options.spectrum_box = layers_of(n, world);
        Transform fft(world, n, options);
        const auto field = share_of(cube, fft, n);
        Numbers spectrum(fft.spectrum_size());
        for (const bool computes : {true, false}) {
          fft.run_part(true, field.data(), spectrum.data(), computes, !computes);
          fft.forward(field, spectrum);
          EXPECT_LT(difference(world, spectrum.data(), fft.spectrum(), expected, n), 1e-12);
        }
      }
  });
}

// A message of one rank fails to start. All ranks get an error, and a new object works.
TEST(FftCarriers, a_transform_that_fails_on_one_rank_fails_on_all) {
  on({2, 4}, [](Transport& world) {
    const Size3 n{16, 12, 5};
    const auto cube = noise_cube(n, false), expected = direct(cube, n);
    const auto progress = std::make_shared<Progress>(world, ProgressOptions{.kind = ProgressOptions::Kind::thread});
    for (const int starts : {0, 5, 9, -1}) {
      const auto watch = std::make_shared<Watch>();
      WatchedTransport transport(world, watch);
      Options options{.effort = Effort::estimate, .tile = 1, .window = 2, .progress = progress};
      if (starts != 5) options.field_box = options.spectrum_box = layers_of(n, world);
      Transform fft(transport, n, options);
      const auto field = share_of(cube, fft, n);
      Numbers spectrum(fft.spectrum_size());
      fft.plan(true);
      if (starts < 0) {
        fft.forward(field, spectrum);
        EXPECT_LT(difference(world, spectrum.data(), fft.spectrum(), expected, n), 1e-12);
        continue;
      }
      barrier(world);
      if (world.rank() == 1)
        watch->before_start = [left = starts]() mutable {
          if (left-- == 0) throw Error("the library refuses.");
        };
      const auto said = error_of([&] { fft.forward(field, spectrum); });
      watch->before_start = {};
      EXPECT_THAT(said, ::testing::HasSubstr("the library refuses."));
      EXPECT_THAT(error_of([&] { fft.forward(field, spectrum); }),
                  ::testing::HasSubstr("The Fft has failed (rank 1: "));
    }
    EXPECT_EQ(abandoned_operations(), 0);
  });
}

}  // namespace
}  // namespace weft::fft
