// SPDX-License-Identifier: BSD-3-Clause
//
// The little of parallel HDF5 that the field writer needs, with owners for its handles and exceptions for its errors.
#pragma once

#include <hdf5.h>
#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace weft::flow::hdf5 {

/// Owns one HDF5 object. Closing a file (or what is the last of it) is collective.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  Handle() = default;
  /// Throws weft::Error with HDF5's own reason if the id is not valid.
  Handle(hid_t id, Close close, const char* call);
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle();

  hid_t id() const { return id_; }
  /// Closes now and throws if that fails, as it does when the last bytes find no room.
  void close(const char* call);

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// Throws weft::Error unless the status is good: the call, and the innermost reason on HDF5's error stack.
void check(herr_t status, const char* call);

/// Stops HDF5 from printing its error stack.
void be_quiet();

template <class T>
hid_t native_type() {
  if constexpr (std::is_same_v<T, double>) return H5T_NATIVE_DOUBLE;
  else if constexpr (std::is_same_v<T, float>) return H5T_NATIVE_FLOAT;
  else if constexpr (std::is_same_v<T, std::int64_t>) return H5T_NATIVE_INT64;
  else if constexpr (std::is_same_v<T, std::int32_t>) return H5T_NATIVE_INT32;
  else if constexpr (std::is_same_v<T, std::uint8_t>) return H5T_NATIVE_UINT8;
  else static_assert(!sizeof(T), "a type that the field writer does not use");
}

/// Creates a file that all ranks write. Collective.
Handle create_file(const std::filesystem::path& path, MPI_Comm communicator);
Handle create_group(const Handle& parent, const char* name);
void set_text(const Handle& object, const char* name, const std::string& text);
void set_integers(const Handle& object, const char* name, const std::vector<std::int64_t>& values);

/// A dataset of rows, of which each rank writes its own.
template <class T>
class Dataset {
 public:
  /// One column makes a list, more a matrix. The space is taken at once and not filled. Collective.
  Dataset(const Handle& parent, const char* name, std::uint64_t rows, std::uint64_t columns = 1);

  /// Writes rows [first, first + rows): `fill(i, out)` puts the columns of the i-th of them into `out`. Independent of
  /// the other ranks. Holds 4 MiB at a time, and HDF5 never sees a request that is too large for MPI.
  template <class Fill>
  void write(std::uint64_t first, std::uint64_t rows, Fill&& fill) {
    const std::uint64_t piece = std::max<std::uint64_t>(1, (std::uint64_t{4} << 20) / (sizeof(T) * columns_));
    std::vector<T> buffer(static_cast<std::size_t>(std::min(rows, piece) * columns_));
    for (std::uint64_t done = 0; done < rows; done += piece) {
      const auto count = std::min(piece, rows - done);
      for (std::uint64_t i = 0; i < count; ++i)
        fill(static_cast<std::size_t>(done + i), buffer.data() + static_cast<std::size_t>(i * columns_));
      write_rows(first + done, count, buffer.data());
    }
  }

 private:
  void write_rows(std::uint64_t first, std::uint64_t rows, const T* values);

  Handle dataset_;
  std::uint64_t columns_;
};

}  // namespace weft::flow::hdf5
