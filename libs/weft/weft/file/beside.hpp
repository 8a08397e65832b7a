// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "weft/error.hpp"

namespace weft {

/// A new file beside a name, which takes that name once it is whole: NAME.weft-XXXXXXXXXXXX, with letters that no other
/// writer has (the last four are a checksum of the others, so that nobody's own file is called so by accident). It is
/// made where nothing is yet (no link is followed, no file truncated); place() syncs it, renames it and syncs the
/// folder, so that after a power cut there is the old file or the new one. Not collective, one writer.
///
/// A name that is a link stays one: the file that it points to is replaced. It is locked while it is written. What a
/// killed process left of NAME, which nobody locks, is removed by a later writer of NAME, a day after it was last
/// written.
class Beside {
 public:
  /// Throws InputError if it can't be written there (its folder has to be), or if something else than a plain file has
  /// that name.
  explicit Beside(std::filesystem::path name);
  /// Removes it unless place() was reached.
  ~Beside();
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

  /// Where it is until then.
  const std::filesystem::path& path() const { return path_; }
  /// The same for libraries and other ranks, which open it themselves: from now on it is not locked. (HDF5 locks what
  /// it opens, and on a network's file system a lock keeps other machines from writing.)
  const std::filesystem::path& share();
  /// Open for reading and writing.
  int descriptor() const { return descriptor_; }
  /// Ends it. Throws InputError, and leaves nothing of it, if it could not be written.
  void place();
  /// The same, but throws InputError if there is something of that name by now, as check_absent does.
  void place_new();
  /// The same, without waiting for the disk: for pictures of a series, of which the next one comes soon.
  void place_unsynced();

  /// Removes what killed processes left of files of such names' beginnings, which nobody writes now, as the caller
  /// knows; but none that its writer holds.
  static void remove_leftovers(const std::filesystem::path& folder, const std::string& beginning);

 private:
  void sync();
  void rename(bool only_new = false);

  std::filesystem::path name_, target_, path_;
  int descriptor_ = -1;
};

/// What to throw if a file can't be written: one line that says why, and what to do. The same of every program.
InputError cannot_write(const std::filesystem::path& file, const std::string& why);
InputError cannot_write(const std::filesystem::path& file, int error);  ///< of errno

/// Throws InputError if a file that is to be written is one of those that are read, whatever their names are. Empty
/// names and "-" are no files.
void check_apart(const std::filesystem::path& written, const std::filesystem::path& read);
/// The same of several, and if two that are to be written are one file, whether it is there yet or not.
void check_apart(const std::vector<std::filesystem::path>& written, const std::vector<std::filesystem::path>& read);

/// Throws InputError if there is something of that name, a link included, but no device or pipe: what is not to be
/// replaced without --force.
void check_absent(const std::filesystem::path& file);

}  // namespace weft
