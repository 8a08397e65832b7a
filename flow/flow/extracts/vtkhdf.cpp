// SPDX-License-Identifier: BSD-3-Clause
#include "flow/extracts/vtkhdf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "program/field_series.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {

Mesh voxel_mesh(const geometry::Domain& domain, std::span<const std::uint32_t> sites) {
  constexpr std::size_t corners = 8;
  Mesh mesh{.cell_type = 11, .corners_of_cell = corners};
  mesh.cells.reserve(sites.size() * corners);
  std::unordered_map<std::int64_t, std::uint32_t> numbers;
  numbers.reserve(sites.size() + sites.size() / 2);
  const auto& grid = domain.grid;
  const std::int64_t width = grid.extent[0] + 1, height = grid.extent[1] + 1;
  for (const auto site : sites) {
    const auto& p = domain.sites[site];
    for (std::size_t i = 0; i < corners; ++i) {  // VTK_VOXEL counts its corners in binary, x first
      const geometry::Position corner = {p[0] + static_cast<std::int32_t>(i & 1),
                                         p[1] + static_cast<std::int32_t>(i >> 1 & 1),
                                         p[2] + static_cast<std::int32_t>(i >> 2)};
      const auto key = (corner[2] * height + corner[1]) * width + corner[0];
      const auto [entry, is_new] = numbers.try_emplace(key, static_cast<std::uint32_t>(mesh.corners.size()));
      if (is_new) {
        auto& at = mesh.corners.emplace_back();
        for (std::size_t d = 0; d < 3; ++d) at[d] = static_cast<float>(grid.origin[d] + grid.voxel * (corner[d] - 0.5));
      }
      mesh.cells.push_back(entry->second);
    }
  }
  return mesh;
}

Mesh voxel_mesh(const geometry::Domain& domain) {
  std::vector<std::uint32_t> all(domain.sites.size());
  std::iota(all.begin(), all.end(), 0U);
  return voxel_mesh(domain, all);
}

Mesh vertex_mesh(std::span<const geometry::Vector> points) {
  Mesh mesh{.cell_type = 1, .corners_of_cell = 1};
  for (const auto& p : points) {
    mesh.cells.push_back(static_cast<std::uint32_t>(mesh.corners.size()));
    mesh.corners.push_back({static_cast<float>(p[0]), static_cast<float>(p[1]), static_cast<float>(p[2])});
  }
  return mesh;
}

using namespace program;

namespace fs = std::filesystem;

namespace {

/// The position of a rank's rows among those of all ranks.
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
  Mesh mesh;
  double voxel;
  Share cells, corners;

  /// An upper bound of a file's size.
  std::int64_t enough_bytes(std::span<const CellValues> values) const {
    const auto ranks = static_cast<std::uint64_t>(communicator.size());
    std::uint64_t cell_bytes = (mesh.corners_of_cell + 1) * sizeof(std::int64_t) + 1 + 4;
    for (const auto& v : values) cell_bytes += v.components * sizeof(double);
    return static_cast<std::int64_t>(cells.all * cell_bytes + corners.all * 3 * sizeof(float) +
                                     ranks * 4 * sizeof(std::int64_t) + (std::uint64_t{1} << 17));
  }
  void lay_out(hdf5::Layout& layout, std::span<const CellValues> values) const;
  void write_shares(SharedFile& out, std::span<const std::int64_t> offsets, std::int64_t step, double time_s,
                    std::span<const CellValues> values) const;
};

/// Adds the datasets in the order of write_shares.
void FieldWriter::State::lay_out(hdf5::Layout& layout, std::span<const CellValues> values) const {
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
  layout.add_dataset("VTKHDF/Connectivity", H5T_NATIVE_INT64, cells.all * mesh.corners_of_cell);
  layout.add_dataset("VTKHDF/Offsets", H5T_NATIVE_INT64, cells.all + ranks);
  layout.add_dataset("VTKHDF/Types", H5T_NATIVE_UINT8, cells.all);
  for (const auto& v : values)
    layout.add_dataset("VTKHDF/CellData/" + v.name, H5T_NATIVE_DOUBLE, cells.all, v.components);
  layout.add_dataset("VTKHDF/CellData/rank", H5T_NATIVE_INT32, cells.all);
  layout.add_dataset("VTKHDF/FieldData/time", H5T_NATIVE_DOUBLE, 1);
  layout.add_dataset("VTKHDF/FieldData/step", H5T_NATIVE_INT64, 1);
  layout.add_dataset("VTKHDF/FieldData/voxel", H5T_NATIVE_DOUBLE, 1);
}

void FieldWriter::State::write_shares(SharedFile& out, std::span<const std::int64_t> offsets, std::int64_t step,
                                      double time_s, std::span<const CellValues> values) const {
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
    put_one(static_cast<std::int64_t>(cells.mine * mesh.corners_of_cell), rank);
    put(float{}, corners.first, corners.mine, 3,
        [&](std::size_t i, float* to) { std::copy(mesh.corners[i].begin(), mesh.corners[i].end(), to); });
    const auto of_cell = mesh.corners_of_cell;
    put(std::int64_t{}, cells.first, cells.mine, of_cell,
        [&](std::size_t i, std::int64_t* to) { std::copy_n(mesh.cells.data() + i * of_cell, of_cell, to); });
    put(std::int64_t{}, cells.first + rank, cells.mine + 1, 1,
        [&](std::size_t i, std::int64_t* to) { *to = static_cast<std::int64_t>(i * of_cell); });
    put(std::uint8_t{}, cells.first, cells.mine, 1, [&](std::size_t, std::uint8_t* to) { *to = mesh.cell_type; });
    for (const auto& v : values)
      put(double{}, cells.first, cells.mine, v.components,
          [&](std::size_t i, double* to) { std::copy_n(v.values.data() + i * v.components, v.components, to); });
    put(std::int32_t{}, cells.first, cells.mine, 1,
        [&](std::size_t, std::int32_t* to) { *to = static_cast<std::int32_t>(rank); });
    put_one(time_s, 0, rank == 0);
    put_one(step, 0, rank == 0);
    put_one(voxel, 0, rank == 0);
  });
}

FieldWriter::FieldWriter(mpi::Communicator& communicator, fs::path directory, Mesh mesh, double voxel, std::string name)
    : state_(new State{
          communicator, {communicator, std::move(directory), std::move(name)}, std::move(mesh), voxel, {}, {}}) {
  state_->cells = make_share(communicator, state_->mesh.cell_count());
  state_->corners = make_share(communicator, state_->mesh.corners.size());
}

FieldWriter::~FieldWriter() = default;
FieldWriter::FieldWriter(FieldWriter&&) noexcept = default;

void FieldWriter::keep_earlier(std::int64_t step) { state_->series.keep_earlier(step); }

fs::path FieldWriter::write(std::int64_t step, double time_s, std::span<const CellValues> values) {
  auto& s = *state_;
  together(s.communicator, [&] {
    for (const auto& v : values)
      if (v.values.size() != s.mesh.cell_count() * v.components)
        throw Error(fmt::format("{} numbers of {} were given for {} cells. Give {} for each.", v.values.size(), v.name,
                                s.mesh.cell_count(), v.components));
  });
  return s.series.write(
      step, time_s, s.enough_bytes(values), [&](hdf5::Layout& layout) { s.lay_out(layout, values); },
      [&](SharedFile& out, std::span<const std::int64_t> offsets) {
        s.write_shares(out, offsets, step, time_s, values);
      });
}

}  // namespace weft::flow
