// SPDX-License-Identifier: BSD-3-Clause
//
// Process grids and orders of ranks of a transform.
#include "fft/tune.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/tests/fft/reference.hpp"
#include "tests/support/core_ranks.hpp"
#include "tests/support/shared_scratch.hpp"
#include "weft/transport/in_process.hpp"

namespace weft::fft {
namespace {

using namespace weft::testing;
using namespace weft::fft::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

Setting slabs(const std::string& rows, const std::string& order = "row_major") {
  return {{"decomposition", "slabs"}, {"rows", rows}, {"rank_order", order}};
}
Setting pencils(const std::string& rows, const std::string& order = "row_major") {
  return {{"decomposition", "pencils"}, {"rows", rows}, {"rank_order", order}};
}

TEST(FftTune, grids_that_leave_no_rank_without_points) {
  run_in_process(
      16,
      [](Transport& world) {
        const Size3 n{16, 16, 16};
        EXPECT_THAT(
            grid_candidates<std::complex<double>>(world, n, {}),
            ElementsAre(slabs("16"), pencils("4"), pencils("2"), pencils("2", "by_node"), pencils("8"), pencils("1")));
        EXPECT_THAT(grid_candidates<std::complex<double>>(world, n, {}, 2), ElementsAre(slabs("16"), pencils("4")));
        EXPECT_THAT(grid_candidates<double>(world, {4, 6, 6}, {}), ElementsAre(pencils("4")));
        EXPECT_THAT(grid_candidates<double>(world, n, {.decomposition = Decomposition::slabs}),
                    ElementsAre(slabs("16")));
        EXPECT_THAT(grid_candidates<double>(world, n, {.decomposition = Decomposition::pencils, .rows = 1}),
                    ElementsAre(pencils("1")));
        EXPECT_THAT(grid_candidates<double>(world, {16, 16, 30}, {.decomposition = Decomposition::pencils}),
                    ElementsAre(pencils("4"), pencils("2"), pencils("2", "by_node"), pencils("8"), pencils("1")));
      },
      {.ranks_per_node = 4});
}

// On nodes of two ranks, so that some grids have ranks in another order by node.
TEST(FftTune, every_candidate_is_the_sum_of_the_definition) {
  for (const int ranks : {4, 8})
    run_in_process(ranks,
                   [](Transport& world) {
                     const Size3 n{16, 12, 15};
                     int placed = 0;
                     const auto cube = noise_cube(n, true), expected = direct(cube, n);
                     for (const auto& candidate : grid_candidates<double>(world, n, {}))
                       for (const auto carrier : {Carrier::messages, Carrier::collective, Carrier::shared_memory}) {
                         Options options{.effort = Effort::estimate, .carrier = carrier};
                         apply(candidate, world, options);
                         Fft<double> fft(world, n, options);
                         placed += fft.is_placed();
                         EXPECT_EQ(fft.is_placed(), candidate.at("rank_order") == "by_node");
                         EXPECT_EQ(std::to_string(fft.grid().rows), candidate.at("rows"));
                         std::vector<double> field(fft.field_size()), back(field.size());
                         std::vector<std::complex<double>> spectrum(fft.spectrum_size());
                         scatter(cube, fft.field(), n, field.data());
                         fft.forward(field, spectrum);
                         EXPECT_LT(difference(world, spectrum.data(), fft.spectrum(), expected, n), 1e-12)
                             << weft::text_of(candidate);
                         fft.inverse(spectrum, back);
                         EXPECT_LT(difference(world, back.data(), fft.field(), cube, n), 1e-12)
                             << weft::text_of(candidate);
                       }
                     EXPECT_EQ(placed > 0, world.size() == 8);
                   },
                   {.ranks_per_node = 2});
}

TEST(FftTune, a_grid_is_stored_and_found_again) {
  on(2_ranks, [](Transport& world) {
    const test::SharedScratch scratch(world);
    const Tuning::Options how{.halving = {.repetitions = 1}, .sample_seconds = 0, .file = scratch.path / "tuned.toml"};
    const Size3 n{6, 5, 8};
    Options options{.effort = Effort::estimate}, again = options, boxes = options;
    EXPECT_THAT(tune_grid<double>(world, n, options, how), StartsWith("chosen in "));
    EXPECT_NE(options.decomposition, Decomposition::automatic);
    EXPECT_THAT(tune_grid<double>(world, n, again, how), StartsWith("stored"));
    EXPECT_EQ(again.decomposition, options.decomposition);
    EXPECT_EQ(again.rows, options.rows);
    EXPECT_EQ(again.rank_order, options.rank_order);
    boxes.field_box = Box{.axes = {Block{0, 6}, Block{0, 5}, block(8, 2, static_cast<std::size_t>(world.rank()))}};
    EXPECT_THAT(tune_grid<double>(world, n, boxes, how), StartsWith("chosen in "));  // another problem
    Fft<double> fft(world, n, options);
    std::vector<double> field(fft.field_size());
    std::vector<std::complex<double>> spectrum(fft.spectrum_size());
    EXPECT_THAT(tune<double>(world, n, options, true, field.data(), spectrum.data(), how), StartsWith("chosen in "));
    EXPECT_EQ(again.rows, options.rows);  // left as they are
    EXPECT_THAT(error_of([&] { apply({{"decomposition", "cubes"}}, world, options); }), HasSubstr("pencils"));
  });
}

}  // namespace
}  // namespace weft::fft
