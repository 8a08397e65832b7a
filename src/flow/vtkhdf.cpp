// SPDX-License-Identifier: BSD-3-Clause
#include "flow/vtkhdf.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <numeric>
#include <optional>
#include <unordered_map>
#include <vector>

#include "flow/hdf5_layout.hpp"
#include "flow/readable.hpp"
#include "flow/shared_file.hpp"
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

InputError cannot_write(const fs::path& file, const std::string& why) {
  return InputError(fmt::format("cannot write {} ({}). free space or change output.directory.", file.string(), why));
}

/// Makes the file `unfinished` if it isn't there, and gives it that many bytes of the disk.
void reserve_room(const fs::path& final_name, const fs::path& unfinished, std::int64_t bytes) {
  const int descriptor = ::open(unfinished.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) throw cannot_write(final_name, std::strerror(errno));
  struct statvfs disk {};
  const bool known = ::fstatvfs(descriptor, &disk) == 0;
  // The system call, not posix_fallocate: where the file system can't reserve, that one would write every block.
  const int error = ::fallocate(descriptor, 0, 0, bytes) == 0 ? 0 : errno;
  ::close(descriptor);
  if (error == 0 || error == EOPNOTSUPP || error == ENOSYS) return;
  auto why = std::string(std::strerror(error));
  if (known && error == ENOSPC)
    why += fmt::format(": it takes {}, and {} are free", bytes_text(static_cast<double>(bytes)),
                       bytes_text(static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize)));
  throw cannot_write(final_name, why);
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

  /// Not less than the size of a file.
  std::int64_t enough_bytes() const {
    const auto ranks = static_cast<std::uint64_t>(communicator.size());
    const std::uint64_t cell_bytes = (corners_of_cell + 1) * sizeof(std::int64_t) + 1 + 4 * sizeof(double) + 4;
    return static_cast<std::int64_t>(cells.all * cell_bytes + corners.all * 3 * sizeof(float) +
                                     ranks * 4 * sizeof(std::int64_t) + (std::uint64_t{1} << 17));
  }
  std::vector<std::int64_t> make_file(const fs::path& final_name, const fs::path& unfinished) const;
  void write_shares(const fs::path& file, const std::vector<std::int64_t>& offsets, std::int64_t step, double time_s,
                    std::span<const double> pressure, std::span<const std::array<double, 3>> velocity) const;
  void write_index() const;
};

/// Makes the file without its values and reserves their room, so that a full disk is found here, by one rank.
/// Returns where the datasets lie, in the order of write_shares.
std::vector<std::int64_t> FieldWriter::State::make_file(const fs::path& final_name, const fs::path& unfinished) const {
  const auto ranks = static_cast<std::uint64_t>(communicator.size());
  // First of all, since HDF5 does not survive a disk that is full, then again, since HDF5 gives back what it finds.
  reserve_room(final_name, unfinished, enough_bytes());
  std::vector<std::int64_t> offsets;
  try {
    hdf5::Layout layout(unfinished);
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
    offsets = layout.finish();
  } catch (const Error& e) {
    throw cannot_write(final_name, e.what());
  }
  reserve_room(final_name, unfinished, static_cast<std::int64_t>(fs::file_size(unfinished)));
  return offsets;
}

void FieldWriter::State::write_shares(const fs::path& file, const std::vector<std::int64_t>& offsets, std::int64_t step,
                                      double time_s, std::span<const double> pressure,
                                      std::span<const std::array<double, 3>> velocity) const {
  const auto rank = static_cast<std::size_t>(communicator.rank());
  auto offset = offsets.begin();
  std::optional<SharedFile> out;
  together(communicator, [&] { out.emplace(communicator, file); });
  // The next dataset's rows [first, first + rows).
  const auto put = [&]<class T>(T, std::size_t first, std::size_t rows, std::size_t columns, auto&& fill) {
    out->write_rows<T>(*offset++ + static_cast<std::int64_t>(first * columns * sizeof(T)), rows, columns, fill);
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
  together(communicator, [&] { out->close(); });
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
      throw Error(
          fmt::format("a field of {} pressures and {} velocities was given for {} sites. give one for each site.",
                      pressure_pa.size(), velocity_m_per_s.size(), s.mesh.cells.size()));
  });
  try {
    std::vector<std::int64_t> offsets;
    on_root(s.communicator, [&] { offsets = s.make_file(file, unfinished); });
    offsets = broadcast(s.communicator, std::move(offsets));
    s.write_shares(unfinished, offsets, step, time_s, pressure_pa, velocity_m_per_s);
  } catch (const Error& e) {
    std::error_code ignored;
    if (s.communicator.rank() == 0) fs::remove(unfinished, ignored);
    if (dynamic_cast<const InputError*>(&e) != nullptr || !e.everywhere()) throw;
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
