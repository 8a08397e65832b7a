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

/// What a file holds: numbers as the machine has them (little-endian), z fastest.
struct FieldFile {
  std::filesystem::path path;
  fft::Size3 size{};
  std::string type;           ///< f32, f64, c64, c128; c64 are two f32
  std::int64_t at_bytes = 0;  ///< of the first number
};

std::size_t bytes_of_type(const std::string& type);
/// By its ending: .h5, .hdf5.
bool is_hdf5(const std::filesystem::path& path);

/// Looks at a file. Raw files need size and type, and have to be exactly that long; of an HDF5 dataset they may be left
/// out (empty), and have to be right if given. Collective. Throws InputError on all ranks: no such file or dataset, ...
FieldFile find_field(Transport& world, const std::filesystem::path& path, const std::string& dataset,
                     const std::optional<fft::Size3>& size, const std::string& type);

/// Each rank its box: by MPI-IO, at once. Collective. Throws Error on all ranks.
void read_box(mpi::Communicator& world, const FieldFile& file, const fft::Box& box, void* values);

/// Writes `path` (.h5, .hdf5: HDF5, the dataset given; else raw) beside its name, then renames it. Collective. Throws
/// InputError on all ranks, and leaves nothing.
void write_box(mpi::Communicator& world, const std::filesystem::path& path, const std::string& dataset,
               const fft::Size3& size, const std::string& type, const fft::Box& box, const void* values);

}  // namespace weft::fft_program
