// SPDX-License-Identifier: BSD-3-Clause
//
// Writes boxes with every decomposition and reads the files back with plain HDF5.
#include "box_program/image_writer.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "tests/support/hdf5_reading.hpp"
#include "tests/support/shared_scratch.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::box_program {
namespace {

namespace fs = std::filesystem;
using test::read_vtkhdf, test::SharedScratch;

Space space_of(const CartesianGrid& grid) {
  return {.extent = grid.extent(), .dimensions = grid.dimensions(), .block = grid.block()};
}

double density_at(std::size_t x, std::size_t y, std::size_t z) {
  return 1 + 1e-3 * static_cast<double>(x) + 1e-6 * static_cast<double>(y) + 1e-9 * static_cast<double>(z);
}
std::array<double, 3> velocity_at(std::size_t x, std::size_t y, std::size_t z) {
  return {static_cast<double>(x), -static_cast<double>(y), 0.5 + static_cast<double>(z)};
}
std::uint8_t solid_at(std::size_t x, std::size_t y, std::size_t z) { return (x + 2 * y + 3 * z) % 5 == 0; }

struct Fields {
  std::vector<double> density;
  std::vector<std::array<double, 3>> velocity;
  std::vector<std::uint8_t> solid;

  explicit Fields(const Box& block) {
    const auto& n = block.count;
    for (std::size_t x = block.first[0]; x < block.first[0] + n[0]; ++x)
      for (std::size_t y = block.first[1]; y < block.first[1] + n[1]; ++y)
        for (std::size_t z = block.first[2]; z < block.first[2] + n[2]; ++z) {
          density.push_back(density_at(x, y, z));
          velocity.push_back(velocity_at(x, y, z));
          solid.push_back(solid_at(x, y, z));
        }
  }
};

void expect_file_holds_the_fields(const fs::path& file, const CartesianGrid& grid) {
  const auto& n = grid.extent();
  const auto density = read_vtkhdf<double>(file, "PointData/density", H5T_NATIVE_DOUBLE),
             velocity = read_vtkhdf<double>(file, "PointData/velocity", H5T_NATIVE_DOUBLE);
  const auto solid = read_vtkhdf<std::uint8_t>(file, "PointData/solid", H5T_NATIVE_UINT8);
  const auto rank = read_vtkhdf<std::int32_t>(file, "PointData/rank", H5T_NATIVE_INT32);
  std::vector<hsize_t> shape{n[1], n[0]};
  if (grid.dimensions() == 3) shape.insert(shape.begin(), n[2]);
  EXPECT_EQ(density.shape, shape);
  EXPECT_EQ(solid.shape, shape);
  EXPECT_EQ(rank.shape, shape);
  shape.push_back(3);
  EXPECT_EQ(velocity.shape, shape);
  std::size_t at = 0;
  for (std::size_t z = 0; z < n[2]; ++z)
    for (std::size_t y = 0; y < n[1]; ++y)
      for (std::size_t x = 0; x < n[0]; ++x, ++at) {
        ASSERT_EQ(density.values[at], density_at(x, y, z)) << x << ' ' << y << ' ' << z;
        for (std::size_t a = 0; a < 3; ++a) ASSERT_EQ(velocity.values[3 * at + a], velocity_at(x, y, z)[a]);
        ASSERT_EQ(solid.values[at], solid_at(x, y, z));
        const auto owner = grid.block_of(rank.values[at]);
        for (std::size_t a = 0; a < 3; ++a) {
          const auto p = std::array{x, y, z}[a];
          ASSERT_TRUE(owner.first[a] <= p && p < owner.first[a] + owner.count[a]) << x << ' ' << y << ' ' << z;
        }
      }
  std::vector<std::int64_t> whole(6);
  for (std::size_t a = 0; a < 3; ++a) whole[2 * a + 1] = static_cast<std::int64_t>(n[a]) - 1;
  EXPECT_EQ(test::read_attribute<std::int64_t>(file, "/VTKHDF", "WholeExtent", H5T_NATIVE_INT64), whole);
  EXPECT_EQ(test::read_attribute<double>(file, "/VTKHDF", "Origin", H5T_NATIVE_DOUBLE), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(test::read_attribute<double>(file, "/VTKHDF", "Spacing", H5T_NATIVE_DOUBLE),
            (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(test::read_attribute<double>(file, "/VTKHDF", "Direction", H5T_NATIVE_DOUBLE),
            (std::vector<double>{1, 0, 0, 0, 1, 0, 0, 0, 1}));
}

void write_and_read(const GridOptions& options) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const SharedScratch scratch(world);
  const CartesianGrid grid(world, options);
  const Fields fields(grid.block());
  ImageWriter writer(world, scratch.path / "out/box", space_of(grid));
  writer.write(0, fields.density, fields.velocity, fields.solid);
  const auto file = writer.write(250, fields.density, fields.velocity, fields.solid);
  EXPECT_EQ(file, scratch.path / "out/box/fields_00000250.vtkhdf");
  if (world.rank() == 0) {
    expect_file_holds_the_fields(file, grid);
    EXPECT_EQ(read_vtkhdf<std::int64_t>(file, "FieldData/step", H5T_NATIVE_INT64).values,
              std::vector<std::int64_t>{250});
    EXPECT_EQ(test::content(scratch.path / "out/box/fields.vtkhdf.series"),
              "{\n  \"file-series-version\": \"1.0\",\n  \"files\": [\n"
              "    {\"name\": \"fields_00000000.vtkhdf\", \"time\": 0},\n"
              "    {\"name\": \"fields_00000250.vtkhdf\", \"time\": 250}\n  ]\n}\n");
  }
  barrier(world);
}

/// All decompositions of a box over the number of ranks.
void write_and_read_cut_in_every_way(const std::vector<std::size_t>& extent) {
  const mpi::Communicator world(MPI_COMM_WORLD);
  const int ranks = world.size();
  for (int x = 1; x <= ranks; ++x)
    for (int y = 1; x * y <= ranks; ++y) {
      if (ranks % (x * y) != 0) continue;
      std::vector<int> processes{x, y};
      if (extent.size() == 3) processes.push_back(ranks / (x * y));
      if (extent.size() == 2 && x * y != ranks) continue;
      SCOPED_TRACE(testing::Message() << x << " x " << y << " of " << ranks);
      write_and_read({.extent = extent, .processes = processes});
    }
}

TEST(ImageWriter, every_rank_writes_its_block) { write_and_read_cut_in_every_way({11, 7, 9}); }
TEST(ImageWriter, two_dimensions_are_one_plane) { write_and_read_cut_in_every_way({13, 10}); }
// A line of doubles is 1.6 MB, of vectors 4.8 MB: one or a few at a time.
TEST(ImageWriter, long_lines_go_in_batches) { write_and_read_cut_in_every_way({200000, 5}); }

TEST(ImageWriter, a_wrong_number_of_values_is_an_error_on_every_rank) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const SharedScratch scratch(world);
  const CartesianGrid grid(world, {.extent = {6, 6, 6}});
  Fields fields(grid.block());
  if (world.rank() == world.size() - 1) fields.solid.pop_back();
  ImageWriter writer(world, scratch.path, space_of(grid));
  EXPECT_THROW(writer.write(0, fields.density, fields.velocity, fields.solid), Error);
}

TEST(ImageWriter, a_write_that_fails_on_one_rank_fails_on_all) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const SharedScratch scratch(world);
  const CartesianGrid grid(world, {.extent = {64, 64, 64}});
  const Fields fields(grid.block());
  ImageWriter writer(world, scratch.path, space_of(grid));
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1 << 20, before.rlim_max};
  if (world.rank() == world.size() - 1) setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(writer.write(7, fields.density, fields.velocity, fields.solid), InputError);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  if (world.rank() == 0) {
    EXPECT_TRUE(fs::is_empty(scratch.path)) << "the unfinished file is removed";
  }
  barrier(world);
  // after an error the writer can still be used
  const auto file = writer.write(8, fields.density, fields.velocity, fields.solid);
  if (world.rank() == 0) expect_file_holds_the_fields(file, grid);
  barrier(world);
}

}  // namespace
}  // namespace weft::box_program
