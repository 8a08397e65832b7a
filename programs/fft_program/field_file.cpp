// SPDX-License-Identifier: BSD-3-Clause
#include "fft_program/field_file.hpp"

#include <fmt/format.h>
#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include "fft_program/hdf5_field.hpp"
#include "program/hdf5_layout.hpp"
#include "program/same_file.hpp"
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

FieldFile find_raw(const fs::path& path, const std::optional<fft::Size3>& size, const std::string& type) {
  const auto untold = [&](const char* what) {
    return InputError(
        fmt::format("{0}: A raw file does not contain its {1}. Give it with --{1}.", path.string(), what));
  };
  if (!size) throw untold("size");
  if (type.empty()) throw untold("type");
  const auto expected = bytes_of(*size, type);
  const auto there = std::size_t{fs::file_size(path)};
  if (expected != there)
    throw InputError(fmt::format(
        "{}: The file has {} bytes, but {} numbers of type {} need {}. Correct --size or --type.", path.string(), there,
        fft::text_of(*size), type, expected ? std::to_string(*expected) : "more than can be counted"));
  return {.path = path, .size = *size, .type = type, .holder = path};
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

std::optional<std::size_t> bytes_of(const fft::Size3& size, const std::string& type) {
  std::size_t bytes = bytes_of_type(type);
  for (const auto n : size) {
    if (n != 0 && bytes > std::numeric_limits<std::size_t>::max() / n) return {};
    bytes *= n;
  }
  return bytes;
}

FieldFile find_field(Transport& world, const fs::path& path, const std::string& dataset,
                     const std::optional<fft::Size3>& size, const std::string& type) {
  program::check_same_file(world, path);
  FieldFile result;
  together(world, [&] {  // small reads, so every rank does them
    constexpr auto advice = "Correct the name.";
    if (fs::is_directory(path)) throw cannot_read(path, std::strerror(EISDIR), advice);
    if (::access(path.c_str(), R_OK) != 0) throw cannot_read(path, std::strerror(errno), advice);
    if (!fs::is_regular_file(path)) throw cannot_read(path, "it is not a regular file", advice);
    if (!is_hdf5(path)) {
      if (!dataset.empty())
        throw InputError(path.string() + ": --dataset needs an HDF5 file, which this is not. Omit --dataset.");
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
  if (result.holder != path) program::check_same_file(world, result.holder);
  return result;
}

void read_box(mpi::Communicator& world, const FieldFile& file, const fft::Box& box, void* values) {
  if (!file.dataset.empty()) return together(world, [&] { read_dataset(file, box, values); });
  MPI_File handle = MPI_FILE_NULL;
  mpi::check(MPI_File_open(world.handle(), file.path.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &handle),
             "MPI_File_open");
  const auto bytes = bytes_of_type(file.type);
  together(world, [&] {
    each_run(file.size, box, [&](std::size_t from, std::size_t to, std::size_t count) {
      MPI_Status status;
      const int wanted = mpi::narrow(count * bytes, "a read");
      const auto at = static_cast<std::int64_t>(from * bytes);
      mpi::check(MPI_File_read_at(handle, at, static_cast<std::byte*>(values) + to * bytes, wanted, MPI_BYTE, &status),
                 "MPI_File_read_at");
      int got = 0;
      mpi::check(MPI_Get_count(&status, MPI_BYTE, &got), "MPI_Get_count");
      if (got != wanted) throw InputError(file.path.string() + ": The file ends too early. Check that it is complete.");
    });
  });
  mpi::check(MPI_File_close(&handle), "MPI_File_close");
}

FieldWriter::FieldWriter(mpi::Communicator& world, fs::path path, const std::vector<std::string>& datasets,
                         const fft::Size3& size, const std::string& type)
    : world_(world), path_(std::move(path)), size_(size), type_(type) {
  program::while_writing(path_, [&] {
    std::string unfinished;
    on_root(world_, [&] {
      beside_ = std::make_unique<Beside>(path_);
      unfinished = beside_->share().string();
      make(datasets, unfinished);
    });
    unfinished = broadcast(world_, unfinished);
    together(world_, [&] { file_.emplace(world_, unfinished); });
    at_ = broadcast(world_, std::move(at_));
  });
}

FieldWriter::~FieldWriter() = default;

void FieldWriter::make(const std::vector<std::string>& datasets, const fs::path& unfinished) {
  const auto bytes = static_cast<std::int64_t>(size_[0] * size_[1] * size_[2] * bytes_of_type(type_));
  if (!has_hdf5_name(path_)) return program::reserve_room(path_, unfinished, bytes);
  auto enough = static_cast<std::int64_t>(datasets.size()) * bytes;
  auto existing = program::hdf5::Layout::File::replaced;
  if (fs::exists(path_)) {
    existing = program::hdf5::Layout::File::kept;
    old_.emplace(open_hdf5(path_));
    std::error_code error;
    if (!fs::copy_file(path_, unfinished, fs::copy_options::overwrite_existing, error))
      throw cannot_write(path_, error.message());
    constexpr std::int64_t structures = 1 << 20;
    enough += static_cast<std::int64_t>(fs::file_size(path_)) + structures;
  }
  const auto lay_out = [&](program::hdf5::Layout& layout) {
    const std::vector<std::uint64_t> extent{size_[0], size_[1], size_[2]};
    for (const auto& dataset : datasets) {
      layout.remove_dataset(dataset);
      layout.add_dataset(dataset, hdf5_type(type_).id(), extent);
    }
  };
  at_ = program::hdf5::make_with_room(path_, unfinished, enough, lay_out, existing);
}

void FieldWriter::write(std::size_t k, const fft::Box& box, const void* values) {
  const auto bytes = bytes_of_type(type_);
  program::while_writing(path_, [&] {
    together(world_, [&] {
      each_run(size_, box, [&](std::size_t to, std::size_t from, std::size_t count) {
        file_->write(at_[k] + static_cast<std::int64_t>(to * bytes),
                     {static_cast<const std::byte*>(values) + from * bytes, count * bytes});
      });
    });
  });
}

void FieldWriter::finish() {
  program::while_writing(path_, [&] {
    together(world_, [&] { file_->sync(); });
    together(world_, [&] { file_->close(); });
    on_root(world_, [&] { beside_->commit(); });
  });
}

}  // namespace weft::fft_program
