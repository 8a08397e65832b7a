// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fft/layout.hpp"
#include "program/hdf5_handle.hpp"
#include "program/shared_file.hpp"
#include "weft/file/beside.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::fft_program {

/// A field in a file, z fastest. Raw: native numbers (little-endian).
struct FieldFile {
  std::filesystem::path path;
  fft::Size3 size{};
  std::string type;                ///< f32, f64, c64, c128; c64 are two f32
  std::string dataset{};           ///< of an HDF5 file; empty: raw
  std::filesystem::path holder{};  ///< the file with the numbers, which is another one behind an HDF5 external link
};

std::size_t bytes_of_type(const std::string& type);
/// Nothing if the number overflows.
std::optional<std::size_t> bytes_of(const fft::Size3& size, const std::string& type);

/// Finds a field in a file. Raw files need size and type, and must have exactly that length; for an HDF5 dataset both
/// may be empty, and must be correct if given. Collective. Throws InputError on all ranks, for example if the file or
/// dataset does not exist.
FieldFile find_field(Transport& world, const std::filesystem::path& path, const std::string& dataset,
                     const std::optional<fft::Size3>& size, const std::string& type);

/// Each rank reads its box, all at once: by MPI-IO or HDF5. Collective. Throws Error on all ranks.
void read_box(mpi::Communicator& world, const FieldFile& file, const fft::Box& box, void* values);

/// Writes fields of one size and type to a file: .h5, .hdf5: HDF5, the given datasets; else raw, one field. It has a
/// temporary name until finish(). Of an existing HDF5 file all is kept but these datasets, which costs a copy of that
/// file. Members are collective and throw InputError on all ranks; then an older file is as it was.
class FieldWriter {
 public:
  /// Creates the file and reserves its space.
  FieldWriter(mpi::Communicator& world, std::filesystem::path path, const std::vector<std::string>& datasets,
              const fft::Size3& size, const std::string& type);
  ~FieldWriter();
  FieldWriter(const FieldWriter&) = delete;
  FieldWriter& operator=(const FieldWriter&) = delete;

  /// Writes this rank's box of the field of the k-th dataset.
  void write(std::size_t k, const fft::Box& box, const void* values);
  /// Puts the file in its place.
  void finish();

 private:
  void make(const std::vector<std::string>& datasets, const std::filesystem::path& unfinished);

  mpi::Communicator& world_;
  const std::filesystem::path path_;
  const fft::Size3 size_;
  const std::string type_;
  std::vector<std::int64_t> at_{0};           // offsets of the fields
  std::optional<program::hdf5::Handle> old_;  // its lock keeps other writers out until the new file is in its place
  std::unique_ptr<Beside> beside_;            // rank 0's
  std::optional<program::SharedFile> file_;
};

}  // namespace weft::fft_program
