// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "fft/layout.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::fft_program {

/// A field in a file: native numbers (little-endian), z fastest.
struct FieldFile {
  std::filesystem::path path;
  fft::Size3 size{};
  std::string type;           ///< f32, f64, c64, c128; c64 are two f32
  std::int64_t at_bytes = 0;  ///< of the first number
};

std::size_t bytes_of_type(const std::string& type);
/// Whether the name ends in .h5 or .hdf5.
bool is_hdf5(const std::filesystem::path& path);

/// Finds a field in a file. Raw files need size and type, and must have exactly that length; for an HDF5 dataset both
/// may be empty, and must be correct if given. Collective. Throws InputError on all ranks, for example if the file or
/// dataset does not exist.
FieldFile find_field(Transport& world, const std::filesystem::path& path, const std::string& dataset,
                     const std::optional<fft::Size3>& size, const std::string& type);

/// Each rank reads its box by MPI-IO, all at once. Collective. Throws Error on all ranks.
void read_box(mpi::Communicator& world, const FieldFile& file, const fft::Box& box, void* values);

/// Writes `path` (.h5, .hdf5: HDF5, the given dataset; else raw) under a temporary name, then renames it. Collective.
/// Throws InputError on all ranks, and then leaves no file.
void write_box(mpi::Communicator& world, const std::filesystem::path& path, const std::string& dataset,
               const fft::Size3& size, const std::string& type, const fft::Box& box, const void* values);

}  // namespace weft::fft_program
