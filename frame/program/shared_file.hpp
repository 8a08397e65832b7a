// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <vector>

#include "weft/file/beside.hpp"
#include "weft/mpi/communicator.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace program {

/// An existing file that all ranks write at once by MPI-IO, each at its own offsets.
class SharedFile {
 public:
  /// Opens it for writing. Collective. Throws weft::Error.
  SharedFile(mpi::Communicator& communicator, const std::filesystem::path& file);
  /// Closes it if close() was not called. Collective.
  ~SharedFile();
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;

  /// Independent of other ranks. Throws weft::Error with MPI's reason, as all members do.
  void write(std::int64_t at_bytes, std::span<const std::byte> bytes);

  /// Writes `rows` rows of `columns` values of type T from `at_bytes` on; `fill(i, out)` puts the i-th row into `out`.
  /// Independent of other ranks; holds 8 MiB at a time.
  template <class T, class Fill>
  void write_rows(std::int64_t at_bytes, std::size_t rows, std::size_t columns, Fill&& fill) {
    const std::size_t piece = std::max<std::size_t>(1, (std::size_t{8} << 20) / (sizeof(T) * columns));
    std::vector<T> buffer(std::min(rows, piece) * columns);
    for (std::size_t done = 0; done < rows; done += piece) {
      const auto count = std::min(piece, rows - done);
      for (std::size_t i = 0; i < count; ++i) fill(done + i, buffer.data() + i * columns);
      write(at_bytes + static_cast<std::int64_t>(done * columns * sizeof(T)),
            std::as_bytes(std::span(buffer).first(count * columns)));
    }
  }

  /// Returns when the data of all ranks are on the disk. Collective.
  void sync();
  /// Closes it and throws if that fails. Collective.
  void close();

 private:
  MPI_File file_ = MPI_FILE_NULL;
};

/// Buffers what one rank writes to several places of a SharedFile: adjacent data are written at once, up to 8 MiB.
class SharedFileStream {
 public:
  explicit SharedFileStream(SharedFile& out) : out_(out) {}

  /// Buffer for the bytes at this offset of the file; valid until the next call.
  std::byte* room(std::int64_t at, std::size_t bytes) {
    if (at != at_ + static_cast<std::int64_t>(buffer_.size()) || buffer_.size() + bytes > most) flush();
    if (buffer_.empty()) at_ = at;
    buffer_.resize(buffer_.size() + bytes);
    return buffer_.data() + buffer_.size() - bytes;
  }
  /// Writes the rest; must be called last.
  void flush() {
    if (!buffer_.empty()) out_.write(at_, buffer_);
    buffer_.clear();
  }

 private:
  static constexpr std::size_t most = std::size_t{8} << 20;
  SharedFile& out_;
  std::int64_t at_ = 0;
  std::vector<std::byte> buffer_;
};

/// Runs `write`, which writes a file with all ranks. An error of MPI that all ranks report becomes the InputError of
/// cannot_write.
void while_writing(const std::filesystem::path& file, const std::function<void()>& write);

/// Writes a file with all ranks, completely or not at all (see Beside): rank 0 creates it with `make(path)` under a
/// temporary name, all ranks fill it, then it is synced and renamed. Collective. Throws InputError on every rank, as
/// cannot_write does, if one rank fails; then nothing remains of it, and an older file of that name is kept.
void write_whole(mpi::Communicator& world, const std::filesystem::path& file,
                 const std::function<void(const std::filesystem::path&)>& make,
                 const std::function<void(SharedFile&)>& fill);

/// Reserves disk space for the file `unfinished`, so that a full disk is detected before anything is written. Throws
/// InputError, which names the file by its final name. For one rank, not collective.
void reserve_room(const std::filesystem::path& final_name, const std::filesystem::path& unfinished, std::int64_t bytes);

}  // namespace program
}  // namespace weft
