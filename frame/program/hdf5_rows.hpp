// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "program/hdf5_layout.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace program::hdf5 {

template <class T>
hid_t type_of();
template <>
inline hid_t type_of<double>() {
  return H5T_NATIVE_DOUBLE;
}
template <>
inline hid_t type_of<float>() {
  return H5T_NATIVE_FLOAT;
}
template <>
inline hid_t type_of<std::int64_t>() {
  return H5T_NATIVE_INT64;
}

/// An existing HDF5 file (created by Layout) whose datasets are read and written row by row. For one rank; all members
/// throw weft::Error.
class Rows {
 public:
  enum class Way : std::uint8_t { read, write };

  /// Takes no lock, so a reader of the file does not prevent a run from writing. What the reader sees then is
  /// undefined.
  Rows(const std::filesystem::path& file, Way way);

  /// Rows, then columns if it is a matrix.
  std::vector<std::uint64_t> extent(const std::string& path) const;
  /// Reads or writes `rows` whole rows from `first` on.
  template <class T>
  std::vector<T> read(const std::string& path, std::uint64_t first, std::uint64_t rows) const {
    std::vector<T> values(rows * columns(path));
    transfer(path, first, rows, type_of<T>(), values.data(), nullptr);
    return values;
  }
  template <class T>
  void write(const std::string& path, std::uint64_t first, const std::vector<T>& values) {
    transfer(path, first, values.size() / columns(path), type_of<T>(), nullptr, values.data());
  }
  /// For a dataset of Layout::add_growing.
  void resize(const std::string& path, std::uint64_t rows);
  std::int64_t integer(const std::string& group, const char* attribute) const;
  void set_integer(const std::string& group, const char* attribute, std::int64_t value);

  /// Returns when the written data are on the disk.
  void sync();

 private:
  std::uint64_t columns(const std::string& path) const;
  void transfer(const std::string& path, std::uint64_t first, std::uint64_t rows, hid_t type, void* in,
                const void* out) const;

  std::filesystem::path path_;
  Handle file_;
};

}  // namespace program::hdf5
}  // namespace weft
