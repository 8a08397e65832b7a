// SPDX-License-Identifier: BSD-3-Clause
#include "flow/vtkhdf.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <vector>

#include "flow/parallel_hdf5.hpp"
#include "flow/readable.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {

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
      const geometry::Position corner = {p[0] + static_cast<std::int32_t>(i & 1), p[1] + static_cast<std::int32_t>(i >> 1 & 1),
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

InputError cannot_write(const fs::path& file, const std::string& why) {
  return InputError(fmt::format("cannot write {} ({}). free space or change output.directory.", file.string(), why));
}

}  // namespace

struct FieldWriter::State {
  struct Written {
    std::string file;
    double time_s;
  };

  mpi::Communicator& communicator;
  fs::path directory;
  std::string name;
  geometry::Grid grid;
  Mesh mesh;
  Share cells, corners;
  std::vector<Written> written;

  std::uint64_t bytes() const {
    return cells.all * (corners_of_cell * sizeof(std::int64_t) + sizeof(std::int64_t) + 1 + 4 * sizeof(double) +
                        sizeof(std::int32_t)) +
           corners.all * 3 * sizeof(float) + 65536;
  }
  void try_opening(const fs::path& final_name, const fs::path& unfinished) const;
  void write_file(const fs::path& file, std::int64_t step, double time_s, std::span<const double> pressure,
                  std::span<const std::array<double, 3>> velocity) const;
  void write_index() const;
};

/// Finds the usual troubles on one rank before all of them meet in a collective call, and with the system's own reason.
void FieldWriter::State::try_opening(const fs::path& final_name, const fs::path& unfinished) const {
  const int descriptor = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) throw cannot_write(final_name, std::strerror(errno));
  struct statvfs disk {};
  const bool known = ::fstatvfs(descriptor, &disk) == 0;
  ::close(descriptor);
  const auto free_bytes = static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize);
  if (known && free_bytes < static_cast<double>(bytes()))
    throw cannot_write(final_name, fmt::format("it takes {}, and {} are free", bytes_text(static_cast<double>(bytes())),
                                               bytes_text(free_bytes)));
}

void FieldWriter::State::write_file(const fs::path& file, std::int64_t step, double time_s,
                                    std::span<const double> pressure,
                                    std::span<const std::array<double, 3>> velocity) const {
  const auto rank = static_cast<std::uint64_t>(communicator.rank());
  const auto ranks = static_cast<std::uint64_t>(communicator.size());
  auto out = hdf5::create_file(file, communicator.handle());
  {
    const auto root = hdf5::create_group(out, "VTKHDF");
    hdf5::set_integers(root, "Version", {1, 0});
    hdf5::set_text(root, "Type", "UnstructuredGrid");
    const auto cell_data = hdf5::create_group(root, "CellData");
    const auto field_data = hdf5::create_group(root, "FieldData");

    // All that is collective comes first, so that a rank whose disk fills up leaves nobody waiting.
    hdf5::Dataset<std::int64_t> point_counts(root, "NumberOfPoints", ranks);
    hdf5::Dataset<std::int64_t> cell_counts(root, "NumberOfCells", ranks);
    hdf5::Dataset<std::int64_t> connectivity_counts(root, "NumberOfConnectivityIds", ranks);
    hdf5::Dataset<float> points(root, "Points", corners.all, 3);
    hdf5::Dataset<std::int64_t> connectivity(root, "Connectivity", cells.all * corners_of_cell);
    hdf5::Dataset<std::int64_t> offsets(root, "Offsets", cells.all + ranks);
    hdf5::Dataset<std::uint8_t> types(root, "Types", cells.all);
    hdf5::Dataset<double> pressures(cell_data, "pressure", cells.all);
    hdf5::Dataset<double> velocities(cell_data, "velocity", cells.all, 3);
    hdf5::Dataset<std::int32_t> owners(cell_data, "rank", cells.all);
    hdf5::Dataset<double> time_value(field_data, "time", 1);
    hdf5::Dataset<std::int64_t> step_value(field_data, "step", 1);
    hdf5::Dataset<double> voxel_value(field_data, "voxel", 1);

    together(communicator, [&] {
      const auto one = [](auto value) {
        return [value](std::size_t, auto* to) { *to = static_cast<std::remove_pointer_t<decltype(to)>>(value); };
      };
      point_counts.write(rank, 1, one(corners.mine));
      cell_counts.write(rank, 1, one(cells.mine));
      connectivity_counts.write(rank, 1, one(cells.mine * corners_of_cell));
      points.write(corners.first, corners.mine, [&](std::size_t i, float* to) {
        for (std::size_t d = 0; d < 3; ++d)
          to[d] = static_cast<float>(grid.origin[d] + grid.voxel * (mesh.corners[i][d] - 0.5));
      });
      connectivity.write(cells.first * corners_of_cell, cells.mine * corners_of_cell, [&](std::size_t i, std::int64_t* to) {
        *to = mesh.cells[i / corners_of_cell][i % corners_of_cell];
      });
      offsets.write(cells.first + rank, cells.mine + 1,
                    [](std::size_t i, std::int64_t* to) { *to = static_cast<std::int64_t>(i * corners_of_cell); });
      types.write(cells.first, cells.mine, one(vtk_voxel));
      pressures.write(cells.first, cells.mine, [&](std::size_t i, double* to) { *to = pressure[i]; });
      velocities.write(cells.first, cells.mine,
                       [&](std::size_t i, double* to) { std::copy(velocity[i].begin(), velocity[i].end(), to); });
      owners.write(cells.first, cells.mine, one(rank));
      if (rank > 0) return;
      time_value.write(0, 1, one(time_s));
      step_value.write(0, 1, one(step));
      voxel_value.write(0, 1, one(grid.voxel));
    });
  }
  together(communicator, [&] { out.close("H5Fclose"); });
}

void FieldWriter::State::write_index() const {
  const auto index = directory / (name + ".vtkhdf.series");
  const fs::path unfinished = index.string() + ".tmp";
  std::string text = "{\n  \"file-series-version\": \"1.0\",\n  \"files\": [";
  for (std::size_t i = 0; i < written.size(); ++i)
    text += fmt::format("{}\n    {{\"name\": \"{}\", \"time\": {}}}", i ? "," : "", written[i].file, written[i].time_s);
  text += "\n  ]\n}\n";
  std::ofstream out(unfinished, std::ios::binary);
  out << text;
  out.close();
  std::error_code error;
  if (!out) error = {errno, std::generic_category()};
  if (!error) fs::rename(unfinished, index, error);
  if (!error) return;
  std::error_code ignored;
  fs::remove(unfinished, ignored);
  throw cannot_write(index, error.message());
}

FieldWriter::FieldWriter(mpi::Communicator& communicator, fs::path directory, const geometry::Domain& domain,
                         std::string name)
    : state_(new State{communicator, std::move(directory), std::move(name), domain.grid, {}, {}, {}, {}}) {
  hdf5::be_quiet();
  on_root(communicator, [&] {
    std::error_code error;
    fs::create_directories(state_->directory, error);
    if (error) throw cannot_write(state_->directory, error.message());
  });
  state_->mesh = make_mesh(domain);
  state_->cells = make_share(communicator, state_->mesh.cells.size());
  state_->corners = make_share(communicator, state_->mesh.corners.size());
}

FieldWriter::~FieldWriter() = default;
FieldWriter::FieldWriter(FieldWriter&&) noexcept = default;

fs::path FieldWriter::write(std::int64_t step, double time_s, std::span<const double> pressure_pa,
                            std::span<const std::array<double, 3>> velocity_m_per_s) {
  auto& s = *state_;
  const auto file = s.directory / fmt::format("{}_{:08}.vtkhdf", s.name, step);
  const fs::path unfinished = file.string() + ".tmp";
  together(s.communicator, [&] {
    if (pressure_pa.size() != s.mesh.cells.size() || velocity_m_per_s.size() != s.mesh.cells.size())
      throw Error(fmt::format("a field of {} pressures and {} velocities was given for {} sites. give one for each site.",
                              pressure_pa.size(), velocity_m_per_s.size(), s.mesh.cells.size()));
  });
  on_root(s.communicator, [&] { s.try_opening(file, unfinished); });
  try {
    s.write_file(unfinished, step, time_s, pressure_pa, velocity_m_per_s);
  } catch (const Error& e) {
    std::error_code ignored;
    if (s.communicator.rank() == 0) fs::remove(unfinished, ignored);
    throw InputError(cannot_write(file, e.what()).what(), true);
  }
  on_root(s.communicator, [&] {
    std::error_code error;
    fs::rename(unfinished, file, error);
    if (error) throw cannot_write(file, error.message());
    std::erase_if(s.written, [&](const State::Written& w) { return w.file == file.filename(); });
    s.written.push_back({file.filename().string(), time_s});
    s.write_index();
  });
  return file;
}

}  // namespace weft::flow
