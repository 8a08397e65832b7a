// SPDX-License-Identifier: BSD-3-Clause
#include "fft_program/field_file.hpp"

#include <fmt/format.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "program/hdf5_layout.hpp"
#include "program/room.hpp"
#include "program/shared_file.hpp"
#include "weft/error.hpp"
#include "weft/file/read_whole.hpp"
#include "weft/mpi/check.hpp"
#include "weft/names.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::fft_program {

namespace fs = std::filesystem;
using program::hdf5::Handle;

namespace {

constexpr Names<std::size_t> bytes_of_types("type", {{4, "f32"}, {8, "f64"}, {8, "c64"}, {16, "c128"}});

// The complex type of h5py.
Handle complex_type(bool single) {
  const std::size_t half = single ? 4 : 8;
  const auto real = single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
  Handle type(H5Tcreate(H5T_COMPOUND, 2 * half), &H5Tclose, "H5Tcreate");
  H5Tinsert(type.id(), "r", 0, real);
  H5Tinsert(type.id(), "i", half, real);
  return type;
}

std::string type_of(hid_t dataset) {
  const Handle type(H5Dget_type(dataset), &H5Tclose, "H5Dget_type");
  if (H5Tequal(type.id(), H5T_NATIVE_DOUBLE) > 0) return "f64";
  if (H5Tequal(type.id(), H5T_NATIVE_FLOAT) > 0) return "f32";
  if (H5Tequal(type.id(), complex_type(false).id()) > 0) return "c128";
  if (H5Tequal(type.id(), complex_type(true).id()) > 0) return "c64";
  return "";
}

// Nothing if the number overflows.
std::optional<std::size_t> bytes_of(const fft::Size3& size, std::size_t each) {
  std::size_t bytes = each;
  for (const auto n : size) {
    if (n != 0 && bytes > std::numeric_limits<std::size_t>::max() / n) return {};
    bytes *= n;
  }
  return bytes;
}

FieldFile find_dataset(const fs::path& path, const std::string& name) {
  const auto refuse = [&](const std::string& why) { return InputError(fmt::format("{}: {}", path.string(), why)); };
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  const hid_t opened = H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  if (opened < 0) throw refuse("The file can't be read as HDF5. Give a raw file another ending than .h5 or .hdf5.");
  const Handle file(opened, &H5Fclose, "H5Fopen");
  if (name.empty()) throw refuse("The dataset is not named. Give it with --dataset.");
  const hid_t found = H5Dopen2(file.id(), name.c_str(), H5P_DEFAULT);
  if (found < 0) throw refuse(fmt::format("There is no dataset '{}'. List the datasets with h5ls -r.", name));
  const Handle dataset(found, &H5Dclose, "H5Dopen");
  const Handle space(H5Dget_space(dataset.id()), &H5Sclose, "H5Dget_space");
  std::array<hsize_t, 3> extent{};
  const int rank = H5Sget_simple_extent_ndims(space.id());
  if (rank != 3)
    throw refuse(fmt::format("The dataset '{}' has {} axes. Give a three-dimensional dataset.", name, rank));
  H5Sget_simple_extent_dims(space.id(), extent.data(), nullptr);
  const auto type = type_of(dataset.id());
  if (type.empty())
    throw refuse(
        fmt::format("The dataset '{}' does not contain f32, f64, c64 or c128. Convert it to one of them.", name));
  const auto at = H5Dget_offset(dataset.id());  // defined for contiguous ones only
  if (at == HADDR_UNDEF)
    throw refuse(fmt::format(
        "The dataset '{}' is chunked, compressed or empty. Make it contiguous with h5repack -l CONTI.", name));
  const fft::Size3 size{extent[0], extent[1], extent[2]};
  const auto bytes = bytes_of(size, bytes_of_type(type));
  const auto there = std::size_t{fs::file_size(path)};
  if (!bytes || at > there || *bytes > there - at)
    throw refuse(
        fmt::format("The file has {} bytes (too few for the dataset '{}' of {} numbers). Check that it is complete.",
                    there, name, fft::text_of(size)));
  return {path, size, type, static_cast<std::int64_t>(at)};
}

FieldFile find_raw(const fs::path& path, const std::optional<fft::Size3>& size, const std::string& type) {
  const auto untold = [&](const char* what) {
    return InputError(
        fmt::format("{0}: A raw file does not contain its {1}. Give it with --{1}.", path.string(), what));
  };
  if (!size) throw untold("size");
  if (type.empty()) throw untold("type");
  const auto expected = bytes_of(*size, bytes_of_type(type));
  const auto there = std::size_t{fs::file_size(path)};
  if (expected != there)
    throw InputError(fmt::format(
        "{}: The file has {} bytes, but {} numbers of type {} need {}. Correct --size or --type.", path.string(), there,
        fft::text_of(*size), type, expected ? std::to_string(*expected) : "more than can be counted"));
  return {path, *size, type, 0};
}

// Calls f(index in the file, index in the box, count) for each run that is contiguous in both.
template <class F>
void each_run(const fft::Size3& size, const fft::Box& box, F&& f) {
  const auto [x, y, z] = box.axes;
  if (y.count * z.count == 0) return;
  const bool rows = box.row == z.count && z.count == size[2];  // whole rows, no padding
  constexpr std::size_t most = std::size_t{1} << 26;           // MPI counts bytes with int
  for (std::size_t i = 0; i < x.count; ++i)
    for (std::size_t j = 0; j < y.count; ++j) {
      const auto from = ((x.first + i) * size[1] + y.first + j) * size[2] + z.first, to = (i * y.count + j) * box.row;
      std::size_t count = z.count;
      if (rows) {
        count = std::max<std::size_t>(1, std::min(y.count - j, most / z.count)) * z.count;
        j += count / z.count - 1;
      }
      f(from, to, count);
    }
}

}  // namespace

std::size_t bytes_of_type(const std::string& type) { return bytes_of_types.named(type); }

bool is_hdf5(const fs::path& path) { return path.extension() == ".h5" || path.extension() == ".hdf5"; }

FieldFile find_field(Transport& world, const fs::path& path, const std::string& dataset,
                     const std::optional<fft::Size3>& size, const std::string& type) {
  FieldFile result;
  together(world, [&] {  // small reads, so every rank does them
    constexpr auto advice = "Correct the name.";
    if (fs::is_directory(path)) throw cannot_read(path, std::strerror(EISDIR), advice);
    if (::access(path.c_str(), R_OK) != 0) throw cannot_read(path, std::strerror(errno), advice);
    if (!fs::is_regular_file(path)) throw cannot_read(path, "it is not a regular file", advice);
    if (!is_hdf5(path)) {
      result = find_raw(path, size, type);
      return;
    }
    result = find_dataset(path, dataset);
    if (size && *size != result.size)
      throw InputError(fmt::format("{}: The size of the dataset '{}' is {}, not {}. Omit --size, or correct it.",
                                   path.string(), dataset, fft::text_of(result.size), fft::text_of(*size)));
    if (!type.empty() && type != result.type)
      throw InputError(fmt::format("{}: The type of the dataset '{}' is {}, not {}. Omit --type, or correct it.",
                                   path.string(), dataset, result.type, type));
  });
  return result;
}

void read_box(mpi::Communicator& world, const FieldFile& file, const fft::Box& box, void* values) {
  MPI_File handle = MPI_FILE_NULL;
  mpi::check(MPI_File_open(world.handle(), file.path.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &handle),
             "MPI_File_open");
  const auto bytes = bytes_of_type(file.type);
  together(world, [&] {
    each_run(file.size, box, [&](std::size_t from, std::size_t to, std::size_t count) {
      MPI_Status status;
      const int wanted = mpi::narrow(count * bytes, "a read");
      const auto at = file.at_bytes + static_cast<std::int64_t>(from * bytes);
      mpi::check(MPI_File_read_at(handle, at, static_cast<std::byte*>(values) + to * bytes, wanted, MPI_BYTE, &status),
                 "MPI_File_read_at");
      int got = 0;
      mpi::check(MPI_Get_count(&status, MPI_BYTE, &got), "MPI_Get_count");
      if (got != wanted) throw InputError(file.path.string() + ": The file ends too early. Check that it is complete.");
    });
  });
  mpi::check(MPI_File_close(&handle), "MPI_File_close");
}

void write_box(mpi::Communicator& world, const fs::path& path, const std::string& dataset, const fft::Size3& size,
               const std::string& type, const fft::Box& box, const void* values) {
  const auto bytes = bytes_of_type(type);
  std::vector<std::int64_t> at{0};
  const auto make = [&](const fs::path& unfinished) {
    const auto whole = static_cast<std::int64_t>(size[0] * size[1] * size[2] * bytes);
    if (!is_hdf5(path)) {
      program::reserve_room(path, unfinished, whole);
      return;
    }
    const bool single = type == "f32" || type == "c64";
    const auto complex = complex_type(single);
    const auto number = type[0] == 'c' ? complex.id() : single ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
    at = program::hdf5::make_with_room(path, unfinished, whole, [&](program::hdf5::Layout& layout) {
      layout.add_dataset(dataset, number, std::vector<std::uint64_t>{size[0], size[1], size[2]});
    });
  };
  program::write_whole(world, path, make, [&](program::SharedFile& file) {
    at = broadcast(world, std::move(at));
    together(world, [&] {
      each_run(size, box, [&](std::size_t to, std::size_t from, std::size_t count) {
        file.write(at.front() + static_cast<std::int64_t>(to * bytes),
                   {static_cast<const std::byte*>(values) + from * bytes, count * bytes});
      });
    });
  });
}

}  // namespace weft::fft_program
