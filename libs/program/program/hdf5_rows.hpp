// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "program/hdf5_layout.hpp"

namespace weft::program::hdf5 {

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

/// A HDF5 file that is there (Layout made it), whose datasets are read and written row by row. One rank's; all throw
/// weft::Error.
class Rows {
 public:
  enum class Way : std::uint8_t { read, write };

  /// Takes no lock: who has the file open to look at it does not keep a run from writing. What that one sees then is
  /// not sure.
  Rows(const std::filesystem::path& file, Way way);

  /// Rows, then columns if it is a matrix.
  std::vector<std::uint64_t> extent(const std::string& path) const;
  /// `rows` whole rows from `first` on.
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
  /// Of a dataset that Layout::add_growing made.
  void resize(const std::string& path, std::uint64_t rows);
  std::int64_t integer(const std::string& group, const char* attribute) const;
  void set_integer(const std::string& group, const char* attribute, std::int64_t value);

  /// Returns when what was written is on the disk.
  void sync();

 private:
  std::uint64_t columns(const std::string& path) const;
  void transfer(const std::string& path, std::uint64_t first, std::uint64_t rows, hid_t type, void* in,
                const void* out) const;

  std::filesystem::path path_;
  Handle file_;
};

}  // namespace weft::program::hdf5
