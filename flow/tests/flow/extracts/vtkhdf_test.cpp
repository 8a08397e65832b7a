// SPDX-License-Identifier: BSD-3-Clause
//
// Writes fields on 1, 2 and 3 ranks and reads the file back with plain HDF5.
#include "flow/extracts/vtkhdf.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <functional>
#include <numeric>
#include <set>

#include "tests/support/hdf5_reading.hpp"
#include "tests/support/shared_scratch.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {
namespace {

using test::content, test::SharedScratch;
namespace fs = std::filesystem;

/// The sites of a box with a hole in it, distributed over the ranks in slices along z.
geometry::Domain make_domain(int rank, int ranks, std::int32_t depth = 7) {
  geometry::Domain domain;
  domain.grid = {{0.5, -1, 2}, 0.25, {5, 4, depth}};
  for (std::int32_t z = 0; z < depth; ++z)
    for (std::int32_t y = 0; y < 4; ++y)
      for (std::int32_t x = 0; x < 5; ++x) {
        if (x == 2 && y == 1 && z % 2 == 0) continue;
        ++domain.global_sites;
        if (z * ranks / depth == rank) domain.sites.push_back({x, y, z});
      }
  return domain;
}

double pressure_at(const geometry::Vector& r) { return 100 * r[0] + 10 * r[1] + r[2]; }

std::vector<std::int64_t> read_integers(const fs::path& file, const char* name) {
  return test::read_vtkhdf<std::int64_t>(file, name, H5T_NATIVE_INT64).values;
}
std::vector<double> read_numbers(const fs::path& file, const char* name) {
  return test::read_vtkhdf<double>(file, name, H5T_NATIVE_DOUBLE).values;
}

void expect_file_holds_the_field(const fs::path& file, std::int64_t global_sites, int ranks) {
  const auto cells = read_integers(file, "NumberOfCells"), points = read_integers(file, "NumberOfPoints"),
             ids = read_integers(file, "NumberOfConnectivityIds"), offsets = read_integers(file, "Offsets"),
             connectivity = read_integers(file, "Connectivity"), types = read_integers(file, "Types"),
             owners = read_integers(file, "CellData/rank");
  const auto xyz = read_numbers(file, "Points"), pressure = read_numbers(file, "CellData/pressure"),
             velocity = read_numbers(file, "CellData/velocity");
  ASSERT_EQ(cells.size(), static_cast<std::size_t>(ranks));
  ASSERT_EQ(std::accumulate(cells.begin(), cells.end(), std::int64_t{0}), global_sites);
  ASSERT_EQ(offsets.size(), static_cast<std::size_t>(global_sites + ranks));
  ASSERT_TRUE(std::all_of(types.begin(), types.end(), [](auto t) { return t == 11; }));
  std::set<std::array<double, 3>> centres;
  std::size_t cell = 0, point = 0;
  for (std::size_t piece = 0; piece < cells.size(); ++piece) {
    EXPECT_EQ(ids[piece], 8 * cells[piece]);
    std::set<std::array<double, 3>> corners;
    for (std::int64_t i = 0; i < points[piece]; ++i) {
      const auto at = 3 * (point + static_cast<std::size_t>(i));
      corners.insert({xyz[at], xyz[at + 1], xyz[at + 2]});
    }
    EXPECT_EQ(corners.size(), static_cast<std::size_t>(points[piece])) << "corners are unique within a rank";
    EXPECT_EQ(offsets[cell + piece], 0);
    for (std::int64_t i = 0; i < cells[piece]; ++i, ++cell) {
      EXPECT_EQ(offsets[cell + piece + 1], 8 * (i + 1));
      geometry::Vector centre{};
      std::array<geometry::Vector, 8> corner;
      for (std::size_t k = 0; k < 8; ++k)
        for (std::size_t d = 0; d < 3; ++d) {
          corner[k][d] = xyz[3 * (point + static_cast<std::size_t>(connectivity[8 * cell + k])) + d];
          centre[d] += corner[k][d] / 8;
        }
      for (std::size_t k = 0; k < 8; ++k)
        for (std::size_t d = 0; d < 3; ++d) EXPECT_DOUBLE_EQ(corner[k][d], centre[d] + ((k >> d & 1) ? 0.125 : -0.125));
      centres.insert(centre);
      EXPECT_DOUBLE_EQ(pressure[cell], pressure_at(centre));
      EXPECT_DOUBLE_EQ(velocity[3 * cell], centre[0]);
      EXPECT_DOUBLE_EQ(velocity[3 * cell + 1], centre[1]);
      EXPECT_DOUBLE_EQ(velocity[3 * cell + 2], -centre[2]);
      EXPECT_EQ(owners[cell], static_cast<std::int64_t>(piece));
    }
    point += static_cast<std::size_t>(points[piece]);
  }
  EXPECT_EQ(centres.size(), static_cast<std::size_t>(global_sites));
}

std::vector<CellValues> fields_of(const geometry::Domain& domain) {
  std::vector<CellValues> fields = {{"pressure", 1, {}}, {"velocity", 3, {}}};
  for (const auto& p : domain.sites) {
    const auto r = domain.grid.centre(p);
    fields[0].values.push_back(pressure_at(r));
    fields[1].values.insert(fields[1].values.end(), {r[0], r[1], -r[2]});
  }
  return fields;
}

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& e) {
    EXPECT_TRUE(e.everywhere());
    return e.what();
  }
  return "no error";
}

TEST(FieldWriter, every_rank_writes_its_sites) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const SharedScratch scratch(world);
  const auto domain = make_domain(world.rank(), world.size());
  const auto fields = fields_of(domain);
  FieldWriter writer(world, scratch.path / "out/fields", voxel_mesh(domain), domain.grid.voxel);
  const auto first = writer.write(0, 0, fields);
  const auto second = writer.write(1250, 0.025, fields);
  writer.write(1250, 0.025, fields);  // written twice: replaced, not listed twice
  EXPECT_EQ(second, scratch.path / "out/fields/fields_00001250.vtkhdf");
  if (world.rank() == 0) {
    expect_file_holds_the_field(first, domain.global_sites, world.size());
    expect_file_holds_the_field(second, domain.global_sites, world.size());
    EXPECT_EQ(read_numbers(second, "FieldData/time"), std::vector<double>{0.025});
    EXPECT_EQ(read_integers(second, "FieldData/step"), std::vector<std::int64_t>{1250});
    EXPECT_EQ(read_numbers(second, "FieldData/voxel"), std::vector<double>{0.25});
    EXPECT_EQ(content(scratch.path / "out/fields/fields.vtkhdf.series"),
              "{\n  \"file-series-version\": \"1.0\",\n  \"files\": [\n"
              "    {\"name\": \"fields_00000000.vtkhdf\", \"time\": 0},\n"
              "    {\"name\": \"fields_00001250.vtkhdf\", \"time\": 0.025}\n  ]\n}\n");
    EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path / "out/fields"), {}), 3) << "no temporary file is left";
  }
  barrier(world);
}

TEST(FieldWriter, a_rank_without_sites_takes_part) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const SharedScratch scratch(world);
  auto domain = make_domain(world.rank(), world.size(), 1);  // all sites on rank 0
  const auto fields = fields_of(domain);
  FieldWriter writer(world, scratch.path, voxel_mesh(domain), domain.grid.voxel, "thin");
  const auto file = writer.write(1, 1, fields);
  if (world.rank() == 0) expect_file_holds_the_field(file, domain.global_sites, world.size());
  barrier(world);
}

TEST(FieldWriter, an_unusable_folder_is_one_error_on_every_rank) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const SharedScratch scratch(world);
  if (world.rank() == 0) std::ofstream(scratch.path / "file") << "x";
  const auto domain = make_domain(world.rank(), world.size());
  EXPECT_EQ(message_of([&] { FieldWriter(world, scratch.path / "file" / "fields", voxel_mesh(domain), 1); }),
            (scratch.path / "file/fields").string() +
                ": This file can't be written (Not a directory). Choose another folder.");

  const auto fields = fields_of(domain);
  FieldWriter writer(world, scratch.path / "gone", voxel_mesh(domain), domain.grid.voxel);
  barrier(world);
  if (world.rank() == 0) fs::remove(scratch.path / "gone");
  EXPECT_EQ(message_of([&] { writer.write(3, 0, fields); }),
            (scratch.path / "gone/fields_00000003.vtkhdf").string() +
                ": This file can't be written (No such file or directory). Choose another folder.");
}

TEST(FieldWriter, a_write_that_fails_on_one_rank_fails_on_all) {
  mpi::Communicator world(MPI_COMM_WORLD);
  const SharedScratch scratch(world);
  const auto domain = make_domain(world.rank(), world.size(), 3000);
  const auto fields = fields_of(domain);
  FieldWriter writer(world, scratch.path, voxel_mesh(domain), domain.grid.voxel);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{2 << 20, before.rlim_max};
  if (world.rank() == world.size() - 1) setrlimit(RLIMIT_FSIZE, &small);
  const auto message = message_of([&] { writer.write(7, 0, fields); });
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(
      message.starts_with((scratch.path / "fields_00000007.vtkhdf").string() + ": This file can't be written ("))
      << message;
  if (world.rank() == 0) {
    EXPECT_TRUE(fs::is_empty(scratch.path)) << "the unfinished file is removed";
  }
  barrier(world);
  const auto file = writer.write(8, 0, fields);  // after an error the writer can still be used
  if (world.rank() == 0) {
    EXPECT_EQ(read_numbers(file, "CellData/pressure").size(), static_cast<std::size_t>(domain.global_sites));
  }
  barrier(world);
}

}  // namespace
}  // namespace weft::flow
