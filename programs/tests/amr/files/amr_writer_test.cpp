// SPDX-License-Identifier: BSD-3-Clause
//
// Writes hierarchies and reads the files back with plain HDF5.
#include "amr/files/amr_writer.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "tests/support/file_limit.hpp"
#include "tests/support/hdf5_reading.hpp"
#include "tests/support/shared_scratch.hpp"
#include "weft/error.hpp"

namespace weft::amr {
namespace {

namespace fs = std::filesystem;
using test::read_vtkhdf;

std::vector<double> numbers(const fs::path& file, const std::string& group, const char* name) {
  return test::read_attribute<double>(file, group, name, H5T_NATIVE_DOUBLE);
}

double value_at(const std::array<double, 3>& x, int field) { return x[0] + 10 * x[1] + 100 * x[2] + 1000 * field; }

const Domain domain{.blocks = {3, 2, 2}, .cells = 8, .low = {-1, 0.5, 2}, .spacing = 0.125};

Hierarchy three_levels(Transport& world) {
  const std::vector<BlockKey> wanted{{1, {2, 2, 2}}};
  Hierarchy h(world, Tree(domain, nest(domain, wanted), world.size()), 2);
  for (int l = 0; l < h.levels(); ++l)
    for (const auto& block : h.local(l))
      for (int f = 0; f < 2; ++f)
        for (int k = 0; k < 8; ++k)
          for (int j = 0; j < 8; ++j)
            for (int i = 0; i < 8; ++i) block.cell(f, i, j, k) = value_at(h.centre(block.key, i, j, k), f);
  return h;
}

void expect_file_holds(const fs::path& file, const Hierarchy& h) {
  EXPECT_EQ(numbers(file, "/VTKHDF", "Origin"), (std::vector<double>{-1, 0.5, 2}));
  EXPECT_EQ(numbers(file, "/VTKHDF", "Version"), (std::vector<double>{1, 0}));
  ASSERT_EQ(h.levels(), 3);
  for (int l = 0; l < h.levels(); ++l) {
    const auto level = "Level" + std::to_string(l);
    const double dx = domain.spacing_of(l);
    EXPECT_EQ(numbers(file, "/VTKHDF/" + level, "Spacing"), std::vector<double>(3, dx));
    const auto blocks = h.tree().level(l);
    const auto boxes = read_vtkhdf<std::int64_t>(file, level + "/AMRBox", H5T_NATIVE_INT64);
    ASSERT_EQ(boxes.shape, (std::vector<hsize_t>{blocks.size(), 6}));
    const auto ghost = read_vtkhdf<std::uint8_t>(file, level + "/CellData/vtkGhostType", H5T_NATIVE_UINT8);
    const auto rank = read_vtkhdf<std::int32_t>(file, level + "/CellData/rank", H5T_NATIVE_INT32);
    const auto u = read_vtkhdf<double>(file, level + "/CellData/u", H5T_NATIVE_DOUBLE);
    const auto v = read_vtkhdf<double>(file, level + "/CellData/v", H5T_NATIVE_DOUBLE);
    ASSERT_EQ(u.values.size(), blocks.size() * 512);
    ASSERT_EQ(ghost.values.size(), u.values.size());
    std::size_t at = 0;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const auto* box = boxes.values.data() + 6 * b;
      for (std::size_t a = 0; a < 3; ++a) {
        EXPECT_EQ(box[2 * a], blocks[b].key.at[a] * 8);
        EXPECT_EQ(box[2 * a + 1], blocks[b].key.at[a] * 8 + 7);
      }
      for (auto k = box[4]; k <= box[5]; ++k)
        for (auto j = box[2]; j <= box[3]; ++j)
          for (auto i = box[0]; i <= box[1]; ++i, ++at) {
            std::array<double, 3> x{};
            const std::array<std::int64_t, 3> cell{i, j, k};
            for (std::size_t a = 0; a < 3; ++a) x[a] = domain.low[a] + dx * (static_cast<double>(cell[a]) + 0.5);
            ASSERT_EQ(u.values[at], value_at(x, 0));
            ASSERT_EQ(v.values[at], value_at(x, 1));
            ASSERT_EQ(rank.values[at], blocks[b].owner);
            ASSERT_EQ(ghost.values[at], h.tree().is_refined(blocks[b].key) ? 8 : 0);
          }
    }
  }
}

TEST(AmrWriter, every_rank_writes_its_blocks) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  // A given folder keeps the files for other readers.
  const char* kept = std::getenv("WEFT_KEEP_AMR");
  const auto folder = kept != nullptr ? fs::path(kept) : scratch.path / "out/wave";
  const auto h = three_levels(world);
  AmrWriter writer(world, folder, {{"u", 0}, {"v", 1}});
  writer.write(0, 0, h);
  const auto file = writer.write(12, 0.375, h);
  EXPECT_EQ(file, folder / "fields_00000012.vtkhdf");
  if (world.rank() == 0) {
    expect_file_holds(file, h);
    EXPECT_EQ(read_vtkhdf<std::int64_t>(file, "FieldData/step", H5T_NATIVE_INT64).values,
              std::vector<std::int64_t>{12});
    EXPECT_EQ(read_vtkhdf<double>(file, "FieldData/time", H5T_NATIVE_DOUBLE).values, std::vector<double>{0.375});
    EXPECT_EQ(test::content(folder / "fields.vtkhdf.series"),
              "{\n  \"file-series-version\": \"1.0\",\n  \"files\": [\n"
              "    {\"name\": \"fields_00000000.vtkhdf\", \"time\": 0},\n"
              "    {\"name\": \"fields_00000012.vtkhdf\", \"time\": 0.375}\n  ]\n}\n");
  }
  barrier(world);
}

TEST(AmrWriter, the_file_does_not_depend_on_the_number_of_ranks) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  AmrWriter writer(world, scratch.path, {{"u", 0}, {"v", 1}});
  const auto file = writer.write(1, 1, three_levels(world));
  if (world.rank() == 0) {
    mpi::Communicator alone(MPI_COMM_SELF);
    AmrWriter again(alone, scratch.path / "alone", {{"u", 0}, {"v", 1}});
    const auto other = again.write(1, 1, three_levels(alone));
    for (int l = 0; l < 3; ++l)
      for (const auto* name : {"AMRBox", "CellData/u", "CellData/v", "CellData/vtkGhostType"}) {
        const auto path = "Level" + std::to_string(l) + "/" + name;
        EXPECT_EQ(read_vtkhdf<double>(file, path, H5T_NATIVE_DOUBLE).values,
                  read_vtkhdf<double>(other, path, H5T_NATIVE_DOUBLE).values);
      }
  }
  barrier(world);
}

TEST(AmrWriter, a_write_that_fails_leaves_nothing_and_the_writer_stays_usable) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  const auto h = three_levels(world);
  AmrWriter writer(world, scratch.path, {{"u", 0}, {"v", 1}});
  std::optional<test::FileLimit> full;
  if (world.rank() == world.size() - 1) full.emplace(1 << 16);
  EXPECT_THROW(writer.write(7, 0, h), InputError);
  full.reset();
  if (world.rank() == 0) {
    EXPECT_TRUE(fs::is_empty(scratch.path)) << "the unfinished file is removed";
  }
  barrier(world);
  const auto file = writer.write(8, 0, h);
  if (world.rank() == 0) expect_file_holds(file, h);
  barrier(world);
}

TEST(AmrWriter, a_field_that_is_not_there_is_an_error_on_every_rank) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const test::SharedScratch scratch(world);
  AmrWriter writer(world, scratch.path, {{"u", 2}});
  EXPECT_THROW(writer.write(0, 0, three_levels(world)), Error);
}

}  // namespace
}  // namespace weft::amr
