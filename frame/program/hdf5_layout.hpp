// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "program/hdf5_handle.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace program::hdf5 {

/// Creates an HDF5 file with groups, attributes and contiguous datasets without values.
///
/// HDF5 stores a contiguous dataset in one run of bytes. So one rank creates the file with serial HDF5 and obtains the
/// offset of each dataset; then all ranks write their shares there by MPI-IO, without HDF5. This needs no parallel
/// HDF5, and a write that fails on one rank is an ordinary error; with parallel HDF5 1.10 it makes closing the file
/// hang or crash.
class Layout {
 public:
  enum class File { replaced, kept };
  /// An existing file is replaced, or kept with all its content. Throws weft::Error.
  explicit Layout(const std::filesystem::path& file, File existing = File::replaced);

  /// Groups are created in order: "VTKHDF" before "VTKHDF/CellData".
  void add_group(const std::string& path);
  void set_text(const std::string& group, const char* name, const std::string& text);
  void set_integers(const std::string& group, const char* name, const std::vector<std::int64_t>& values);
  void set_numbers(const std::string& group, const char* name, const std::vector<double>& values);
  /// Removes a dataset of a kept file, if there is one.
  void remove_dataset(const std::string& path);
  /// Creates missing groups of the path too. `type` is an HDF5 type such as H5T_NATIVE_DOUBLE. One column makes a list,
  /// more make a matrix.
  void add_dataset(const std::string& path, hid_t type, std::uint64_t rows, std::uint64_t columns = 1);
  /// The last index of `extent` is the fastest.
  void add_dataset(const std::string& path, hid_t type, const std::vector<std::uint64_t>& extent);

  /// A list with the first `rows` of at most `most` rows, which grows later (hdf5::Rows::resize). Its offset is not in
  /// the result of finish().
  void add_growing(const std::string& path, hid_t type, std::uint64_t rows, std::uint64_t most);

  /// Completes the file and returns the offset of each dataset in bytes, in the order in which they were added; 0 for
  /// an empty one.
  std::vector<std::int64_t> finish();

 private:
  void set(const std::string& group, const char* name, hid_t type, std::size_t count, const void* values);

  Handle file_;
  std::vector<Handle> datasets_;
};

/// Creates the file `unfinished` without its values and reserves the disk space for them, so that a full disk is
/// detected here, by one rank. `enough_bytes` is an upper bound of its size; `existing`: as for Layout. Returns the
/// result of Layout::finish().
/// Throws InputError, which names the file by its final name. Not collective.
std::vector<std::int64_t> make_with_room(const std::filesystem::path& final_name,
                                         const std::filesystem::path& unfinished, std::int64_t enough_bytes,
                                         const std::function<void(Layout&)>& lay_out,
                                         Layout::File existing = Layout::File::replaced);

}  // namespace program::hdf5
}  // namespace weft
