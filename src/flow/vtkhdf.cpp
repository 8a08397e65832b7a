// SPDX-License-Identifier: BSD-3-Clause
#include "flow/vtkhdf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "program/field_series.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {

using namespace program;

namespace fs = std::filesystem;

namespace {

constexpr std::uint8_t vtk_voxel = 11;
constexpr std::uint64_t corners_of_cell = 8;

/// Cells of one rank and the corners they share. Corner (x, y, z) is the lowest one of site (x, y, z).
struct Mesh {
  std::vector<geometry::Position> corners;
  std::vector<std::array<std::uint32_t, corners_of_cell>> cells;
};

Mesh make_mesh(const geometry::Domain& domain) {
  Mesh mesh;
  mesh.cells.reserve(domain.sites.size());
  std::unordered_map<std::int64_t, std::uint32_t> numbers;
  numbers.reserve(domain.sites.size() + domain.sites.size() / 2);
  const std::int64_t width = domain.grid.extent[0] + 1, height = domain.grid.extent[1] + 1;
  for (const auto& p : domain.sites) {
    auto& cell = mesh.cells.emplace_back();
    for (std::size_t i = 0; i < corners_of_cell; ++i) {  // VTK_VOXEL counts its corners in binary, x first
      const geometry::Position corner = {p[0] + static_cast<std::int32_t>(i & 1),
                                         p[1] + static_cast<std::int32_t>(i >> 1 & 1),
                                         p[2] + static_cast<std::int32_t>(i >> 2)};
      const auto key = (corner[2] * height + corner[1]) * width + corner[0];
      const auto [entry, is_new] = numbers.try_emplace(key, static_cast<std::uint32_t>(mesh.corners.size()));
      if (is_new) mesh.corners.push_back(corner);
      cell[i] = entry->second;
    }
  }
  return mesh;
}

/// Where a rank's rows lie among those of all ranks.
struct Share {
  std::uint64_t first = 0, mine = 0, all = 0;
};

Share make_share(Transport& transport, std::uint64_t mine) {
  const auto counts = all_gather(transport, mine);
  const auto here = counts.begin() + transport.rank();
  return {std::accumulate(counts.begin(), here, std::uint64_t{0}), mine,
          std::accumulate(counts.begin(), counts.end(), std::uint64_t{0})};
}

}  // namespace

struct FieldWriter::State {
  mpi::Communicator& communicator;
  FieldSeries series;
  geometry::Grid grid;
  Mesh mesh;
  Share cells, corners;

  /// Not less than the size of a file.
  std::int64_t enough_bytes() const {
    const auto ranks = static_cast<std::uint64_t>(communicator.size());
    const std::uint64_t cell_bytes = (corners_of_cell + 1) * sizeof(std::int64_t) + 1 + 4 * sizeof(double) + 4;
    return static_cast<std::int64_t>(cells.all * cell_bytes + corners.all * 3 * sizeof(float) +
                                     ranks * 4 * sizeof(std::int64_t) + (std::uint64_t{1} << 17));
  }
  void lay_out(hdf5::Layout& layout) const;
  void write_shares(SharedFile& out, std::span<const std::int64_t> offsets, std::int64_t step, double time_s,
                    std::span<const double> pressure, std::span<const std::array<double, 3>> velocity) const;
};

/// Adds the datasets in the order of write_shares.
void FieldWriter::State::lay_out(hdf5::Layout& layout) const {
  const auto ranks = static_cast<std::uint64_t>(communicator.size());
  layout.add_group("VTKHDF");
  layout.set_integers("VTKHDF", "Version", {1, 0});
  layout.set_text("VTKHDF", "Type", "UnstructuredGrid");
  layout.add_group("VTKHDF/CellData");
  layout.add_group("VTKHDF/FieldData");
  layout.add_dataset("VTKHDF/NumberOfPoints", H5T_NATIVE_INT64, ranks);
  layout.add_dataset("VTKHDF/NumberOfCells", H5T_NATIVE_INT64, ranks);
  layout.add_dataset("VTKHDF/NumberOfConnectivityIds", H5T_NATIVE_INT64, ranks);
  layout.add_dataset("VTKHDF/Points", H5T_NATIVE_FLOAT, corners.all, 3);
  layout.add_dataset("VTKHDF/Connectivity", H5T_NATIVE_INT64, cells.all * corners_of_cell);
  layout.add_dataset("VTKHDF/Offsets", H5T_NATIVE_INT64, cells.all + ranks);
  layout.add_dataset("VTKHDF/Types", H5T_NATIVE_UINT8, cells.all);
  layout.add_dataset("VTKHDF/CellData/pressure", H5T_NATIVE_DOUBLE, cells.all);
  layout.add_dataset("VTKHDF/CellData/velocity", H5T_NATIVE_DOUBLE, cells.all, 3);
  layout.add_dataset("VTKHDF/CellData/rank", H5T_NATIVE_INT32, cells.all);
  layout.add_dataset("VTKHDF/FieldData/time", H5T_NATIVE_DOUBLE, 1);
  layout.add_dataset("VTKHDF/FieldData/step", H5T_NATIVE_INT64, 1);
  layout.add_dataset("VTKHDF/FieldData/voxel", H5T_NATIVE_DOUBLE, 1);
}

void FieldWriter::State::write_shares(SharedFile& out, std::span<const std::int64_t> offsets, std::int64_t step,
                                      double time_s, std::span<const double> pressure,
                                      std::span<const std::array<double, 3>> velocity) const {
  const auto rank = static_cast<std::size_t>(communicator.rank());
  auto offset = offsets.begin();
  // The next dataset's rows [first, first + rows).
  const auto put = [&]<class T>(T, std::size_t first, std::size_t rows, std::size_t columns, auto&& fill) {
    out.write_rows<T>(*offset++ + static_cast<std::int64_t>(first * columns * sizeof(T)), rows, columns, fill);
  };
  const auto put_one = [&]<class T>(T value, std::size_t row, bool mine = true) {
    put(T{}, row, mine ? 1 : 0, 1, [&](std::size_t, T* to) { *to = value; });
  };
  together(communicator, [&] {
    put_one(static_cast<std::int64_t>(corners.mine), rank);
    put_one(static_cast<std::int64_t>(cells.mine), rank);
    put_one(static_cast<std::int64_t>(cells.mine * corners_of_cell), rank);
    put(float{}, corners.first, corners.mine, 3, [&](std::size_t i, float* to) {
      for (std::size_t d = 0; d < 3; ++d)
        to[d] = static_cast<float>(grid.origin[d] + grid.voxel * (mesh.corners[i][d] - 0.5));
    });
    put(std::int64_t{}, cells.first, cells.mine, corners_of_cell,
        [&](std::size_t i, std::int64_t* to) { std::copy(mesh.cells[i].begin(), mesh.cells[i].end(), to); });
    put(std::int64_t{}, cells.first + rank, cells.mine + 1, 1,
        [](std::size_t i, std::int64_t* to) { *to = static_cast<std::int64_t>(i * corners_of_cell); });
    put(std::uint8_t{}, cells.first, cells.mine, 1, [](std::size_t, std::uint8_t* to) { *to = vtk_voxel; });
    put(double{}, cells.first, cells.mine, 1, [&](std::size_t i, double* to) { *to = pressure[i]; });
    put(double{}, cells.first, cells.mine, 3,
        [&](std::size_t i, double* to) { std::copy(velocity[i].begin(), velocity[i].end(), to); });
    put(std::int32_t{}, cells.first, cells.mine, 1,
        [&](std::size_t, std::int32_t* to) { *to = static_cast<std::int32_t>(rank); });
    put_one(time_s, 0, rank == 0);
    put_one(step, 0, rank == 0);
    put_one(grid.voxel, 0, rank == 0);
  });
}

FieldWriter::FieldWriter(mpi::Communicator& communicator, fs::path directory, const geometry::Domain& domain,
                         std::string name)
    : state_(new State{communicator, {communicator, std::move(directory), std::move(name)}, domain.grid, {}, {}, {}}) {
  state_->mesh = make_mesh(domain);
  state_->cells = make_share(communicator, state_->mesh.cells.size());
  state_->corners = make_share(communicator, state_->mesh.corners.size());
}

FieldWriter::~FieldWriter() = default;
FieldWriter::FieldWriter(FieldWriter&&) noexcept = default;

void FieldWriter::keep_earlier(std::int64_t step) { state_->series.keep_earlier(step); }

fs::path FieldWriter::write(std::int64_t step, double time_s, std::span<const double> pressure_pa,
                            std::span<const std::array<double, 3>> velocity_m_per_s) {
  auto& s = *state_;
  together(s.communicator, [&] {
    if (pressure_pa.size() != s.mesh.cells.size() || velocity_m_per_s.size() != s.mesh.cells.size())
      throw Error(
          fmt::format("a field of {} pressures and {} velocities was given for {} sites. give one for each site.",
                      pressure_pa.size(), velocity_m_per_s.size(), s.mesh.cells.size()));
  });
  return s.series.write(
      step, time_s, s.enough_bytes(), [&](hdf5::Layout& layout) { s.lay_out(layout); },
      [&](SharedFile& out, std::span<const std::int64_t> offsets) {
        s.write_shares(out, offsets, step, time_s, pressure_pa, velocity_m_per_s);
      });
}

}  // namespace weft::flow
