// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <memory>
#include <ostream>

namespace weft {

/// A file that is there whole or not at all, written by one writer from the front to the end: see Beside. What is no
/// file (a device, a pipe) is written as it is.
class WholeFile {
 public:
  /// Makes the folders above it. Throws InputError if it can't be written there.
  explicit WholeFile(std::filesystem::path path);
  /// Removes what was written unless finish() was called.
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  /// What is written here is in the file after finish().
  std::ostream& stream();
  /// Where it is until finish(). What stream() was given may still be in its buffer.
  const std::filesystem::path& beside() const;
  /// The same for other ranks that write parts of it: see Beside::share.
  const std::filesystem::path& share();
  /// Throws InputError, with the system's reason, if not all of it could be written.
  void finish();
  /// The same, but throws InputError if there is something of that name by now.
  void finish_new();
  /// The same for a picture of a series: it does not wait for the disk.
  void finish_unsynced();

  /// Throws InputError unless a file of this name could be written: for asking before a long run. Leaves nothing.
  static void check(const std::filesystem::path& path);
  /// The same of a name that a person gave: a folder that is not there is more likely a slip than a wish, unless it is
  /// `made` by the run itself.
  static void check_given(const std::filesystem::path& path, const std::filesystem::path& made = {});
  /// The same of what is not written from the front to the end, so that a device or a pipe will not do.
  static void check_given_plain(const std::filesystem::path& path);

 private:
  struct Open;
  void flush();

  std::filesystem::path path_;
  std::unique_ptr<Open> open_;
};

}  // namespace weft
