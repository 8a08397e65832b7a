// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>

#include "weft/file/beside.hpp"

namespace weft {

/// Writes a file that exists completely or not at all, by one writer from the front to the end: see Beside. A device or
/// a pipe is written directly.
class WholeFile {
 public:
  /// Creates the folders above it. `access`: see Beside. Throws InputError if the file can't be written there.
  explicit WholeFile(std::filesystem::path path, std::optional<Access> access = {});
  /// Removes the written data unless finish() was called.
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  /// Data written to this stream are in the file after finish().
  std::ostream& stream();
  /// The path of the file until finish(). Data given to stream() may still be in its buffer.
  const std::filesystem::path& beside();
  /// The same for other ranks that write parts of it: see Beside::share.
  const std::filesystem::path& share();
  /// Completes the file. Throws InputError, with the system's reason, if not all of it could be written.
  void finish();
  /// The same, but throws InputError if the name exists by now.
  void finish_new();
  /// The same for a picture of a series: it does not wait for the disk.
  void finish_unsynced();

  /// Throws InputError unless a file of this name could be written: to test it before a long run. Leaves no file.
  static void check(const std::filesystem::path& path);
  /// The same for a name that a person gave: its folder must exist, because a missing folder is more likely a typing
  /// error, unless it is `made` by the run itself.
  static void check_given(const std::filesystem::path& path, const std::filesystem::path& made = {});
  /// The same for files that are not written from the front to the end, which can't be devices or pipes.
  static void check_given_plain(const std::filesystem::path& path);

 private:
  struct Open;
  void flush();

  std::filesystem::path path_;
  std::unique_ptr<Open> open_;
};

}  // namespace weft
