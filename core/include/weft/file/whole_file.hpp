// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>

#include "weft/file/beside.hpp"

namespace [[gnu::visibility("default")]] weft {

/// Writes a file that exists completely or not at all (see Beside), by one writer, from the front to the end. A device
/// or a pipe is written directly.
class WholeFile {
 public:
  /// Opens the file, and creates missing folders. `access`: as in Beside. Throws InputError if the file can't be
  /// written there.
  explicit WholeFile(std::filesystem::path path, std::optional<Access> access = {});
  /// Removes the written data unless finish() was called.
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  /// Data written to this stream are in the file after finish().
  std::ostream& stream();
  /// The path of the temporary file, until finish(). Data given to stream() may still be in the stream's buffer.
  const std::filesystem::path& beside();
  /// The same for other ranks that write parts of the file: see Beside::share.
  const std::filesystem::path& share();
  /// Completes the file. Throws InputError, with the system's reason, if not all of it could be written.
  void finish();
  /// The same, but throws InputError if the name exists by now.
  void finish_new();
  /// The same without waiting for the disk, for a picture of a series.
  void finish_unsynced();

  /// Throws InputError unless a file of this name can be written: for a check before a long run. Leaves no file.
  static void check(const std::filesystem::path& path);
  /// The same for a name that a user gave: its folder must exist, or be `made` (a folder that the run creates). Another
  /// missing folder is probably a typing error.
  static void check_given(const std::filesystem::path& path, const std::filesystem::path& made = {});
  /// The same for a file that is not written from the front to the end: it can't be a device or a pipe.
  static void check_given_plain(const std::filesystem::path& path);

 private:
  struct Open;
  void flush();

  std::filesystem::path path_;
  std::unique_ptr<Open> open_;
};

}  // namespace weft
