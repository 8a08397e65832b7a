// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>

namespace [[gnu::visibility("default")]] weft {

/// Remembers an incomplete file, which is removed if a signal ends the program (see remove_unfinished_files). Allocates
/// nothing. Of more than 64 such files at a time, the others stay after a signal.
class UnfinishedName {
 public:
  /// Remembers the name of an existing file.
  explicit UnfinishedName(const std::filesystem::path& file);
  /// Forgets the name; the file stays.
  ~UnfinishedName();
  UnfinishedName(const UnfinishedName&) = delete;
  UnfinishedName& operator=(const UnfinishedName&) = delete;

 private:
  std::size_t slot_;
};

/// From now on, a signal that asks this process to end (Ctrl-C, a batch system's limit, a closed pipe) first removes
/// its unfinished files. A file larger than `ulimit -f` allows is an error of the write (EFBIG), no longer a signal.
/// Signals that the program handles or ignores by now stay as they are. For programs only: a library must not call it.
void remove_unfinished_files();

}  // namespace weft
