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
/// Our exceptions say what fails: no stack on stderr.
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
  /// Closes now and throws if that fails, as it does when the last bytes find no room.
  void close(const char* call);

 private:
  hid_t id_;
  Close close_;
};

/// Makes a HDF5 file of groups, attributes and contiguous datasets whose values are not there yet.
///
/// HDF5 puts a contiguous dataset into one run of bytes. So one rank makes the file with the plain library and learns
/// where each dataset lies; then all ranks write their shares there by MPI-IO, with no HDF5 involved. That needs no
/// parallel HDF5, and a write that fails on one rank is an ordinary error: with parallel HDF5 1.10 it makes closing the
/// file hang or crash.
class Layout {
 public:
  /// Replaces an existing file. Throws weft::Error.
  explicit Layout(const std::filesystem::path& file);

  /// Groups are made in order: "VTKHDF" before "VTKHDF/CellData".
  void add_group(const std::string& path);
  void set_text(const std::string& group, const char* name, const std::string& text);
  void set_integers(const std::string& group, const char* name, const std::vector<std::int64_t>& values);
  void set_numbers(const std::string& group, const char* name, const std::vector<double>& values);
  /// `type` as H5T_NATIVE_DOUBLE. One column makes a list, more a matrix.
  void add_dataset(const std::string& path, hid_t type, std::uint64_t rows, std::uint64_t columns = 1);
  /// The last index of `extent` is the fastest.
  void add_dataset(const std::string& path, hid_t type, const std::vector<std::uint64_t>& extent);

  /// A list of the first `rows` of `most` rows, which is made longer later (hdf5::Rows::resize). Not one of finish().
  void add_growing(const std::string& path, hid_t type, std::uint64_t rows, std::uint64_t most);

  /// Completes the file and returns where each dataset's bytes begin, in the order they were added; for an empty one 0.
  std::vector<std::int64_t> finish();

 private:
  void set(const std::string& group, const char* name, hid_t type, std::size_t count, const void* values);

  Handle file_;
  std::vector<Handle> datasets_;
};

/// Makes the file `unfinished` without its values and gives it the room that they take on the disk, so that a full disk
/// is found here, by one rank. `enough_bytes`: what it takes, or more. Returns what Layout::finish() does. Throws
/// InputError, which names the file by its final name. Not collective.
std::vector<std::int64_t> make_with_room(const std::filesystem::path& final_name,
                                         const std::filesystem::path& unfinished, std::int64_t enough_bytes,
                                         const std::function<void(Layout&)>& lay_out);

}  // namespace weft::program::hdf5
