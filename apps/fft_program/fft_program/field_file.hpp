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

/// Writes `path` (.h5, .hdf5: HDF5; else raw) under a temporary name, then renames it. Of an existing HDF5 file all is
/// kept but the given dataset, which costs a copy of that file. Collective. Throws InputError on all ranks, and then
/// an older file is as it was.
void write_box(mpi::Communicator& world, const std::filesystem::path& path, const std::string& dataset,
               const fft::Size3& size, const std::string& type, const fft::Box& box, const void* values);

}  // namespace weft::fft_program
