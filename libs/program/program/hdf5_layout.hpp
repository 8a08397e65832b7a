// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace weft::program::hdf5 {

/// Throws weft::Error with HDF5's own reason if a call failed.
void check(herr_t status, const char* call);
/// Our exceptions report errors, so HDF5 prints no stack to stderr.
void be_quiet();

/// Owns one HDF5 object.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);

  /// Throws weft::Error with HDF5's own reason if the id is not valid.
  Handle(hid_t id, Close close, const char* call);
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle(const Handle&) = delete;
  ~Handle();

  hid_t id() const { return id_; }
  /// Closes now. Throws if that fails, for example if there is no space for the last bytes.
  void close(const char* call);

 private:
  hid_t id_;
  Close close_;
};

/// Creates an HDF5 file with groups, attributes and contiguous datasets without values.
///
/// HDF5 stores a contiguous dataset in one run of bytes. So one rank creates the file with serial HDF5 and obtains the
/// offset of each dataset; then all ranks write their shares there by MPI-IO, without HDF5. This needs no parallel
/// HDF5, and a write that fails on one rank is an ordinary error; with parallel HDF5 1.10 it makes closing the file
/// hang or crash.
class Layout {
 public:
  /// Replaces an existing file. Throws weft::Error.
  explicit Layout(const std::filesystem::path& file);

  /// Groups are created in order: "VTKHDF" before "VTKHDF/CellData".
  void add_group(const std::string& path);
  void set_text(const std::string& group, const char* name, const std::string& text);
  void set_integers(const std::string& group, const char* name, const std::vector<std::int64_t>& values);
  void set_numbers(const std::string& group, const char* name, const std::vector<double>& values);
  /// `type` is an HDF5 type such as H5T_NATIVE_DOUBLE. One column makes a list, more make a matrix.
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
/// detected here, by one rank. `enough_bytes` is an upper bound of its size. Returns the result of Layout::finish().
/// Throws InputError, which names the file by its final name. Not collective.
std::vector<std::int64_t> make_with_room(const std::filesystem::path& final_name,
                                         const std::filesystem::path& unfinished, std::int64_t enough_bytes,
                                         const std::function<void(Layout&)>& lay_out);

}  // namespace weft::program::hdf5
