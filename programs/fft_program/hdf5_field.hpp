// SPDX-License-Identifier: BSD-3-Clause
//
// Fields in HDF5 files. They are read with HDF5, so a dataset may be chunked, compressed, of the other byte order, or
// behind a link. Its numbers must be in one file: HDF5 reads those of missing files as zeros, without an error.
#pragma once

#include <filesystem>
#include <string>

#include "fft_program/field_file.hpp"
#include "program/hdf5_handle.hpp"

namespace weft::fft_program {

/// Whether the name ends in .h5 or .hdf5, in any case.
bool has_hdf5_name(const std::filesystem::path& path);
/// Whether this file is read as HDF5, by its name or its content.
bool is_hdf5(const std::filesystem::path& path);

/// Opens an HDF5 file for reading, with HDF5's lock against writers. Throws InputError.
program::hdf5::Handle open_hdf5(const std::filesystem::path& path);

/// Finds a dataset. Throws InputError unless read_dataset can read it. Not collective, as all of these.
FieldFile find_dataset(const std::filesystem::path& path, const std::string& name);
/// Reads a box. Throws InputError.
void read_dataset(const FieldFile& file, const fft::Box& box, void* values);

/// Throws InputError unless a dataset of this name can be added to the file, which may exist. `force`: also in place of
/// a dataset.
void check_new_dataset(const std::filesystem::path& path, const std::string& name, bool force);

/// HDF5's type of numbers of type f32, f64, c64, c128 in memory.
program::hdf5::Handle hdf5_type(const std::string& type);

}  // namespace weft::fft_program
