// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "weft/error.hpp"
#include "weft/file/unfinished.hpp"

namespace weft {

/// Who may use a file.
struct Access {
  mode_t mode = 0600;  ///< permissions
  uid_t owner = 0;     ///< number of the user
  gid_t group = 0;     ///< number of the group

  /// For a file that is made of this one and another one: what both allow.
  Access operator&(const Access& other) const;
};
/// Of an existing file; none: there is no such plain file.
std::optional<Access> access_of(const std::filesystem::path& file);

/// A temporary file in the folder of a name, which gets that name once it is complete. It has no name before, where the
/// file system can do that (O_TMPFILE), so a killed process leaves nothing. Elsewhere, and if other code must open it,
/// it is NAME.weft-XXXXXXXXXXXX, with letters that no other writer has (the last four are a checksum of the others, so
/// that no user's file has such a name by accident). It is created only where no file exists (no link is followed, no
/// file truncated); commit() syncs it, renames it and syncs the folder, so that after a power failure there is the old
/// file or the new one. Not collective, one writer.
///
/// If the name is a link, it stays a link: its target is replaced. The new file gets the given access, else that of the
/// file that it replaces, at the end; until then only this user can use it. (What this user may not give, an owner or a
/// group, is not given, and the group then gets no more than all have.) Without either, it is created as usual.
///
/// The file is locked while it is written. A temporary file of NAME that a killed process left, and that is not locked,
/// is removed by a later writer of NAME, one day after it was last written.
class Beside {
 public:
  /// Throws InputError if the file can't be written there (its folder must exist), or if the name belongs to something
  /// else than a plain file.
  explicit Beside(std::filesystem::path name, std::optional<Access> access = {});
  /// Removes the temporary file unless place() succeeded.
  ~Beside();
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

  /// The path of the temporary file. Gives it a name, if it has none.
  const std::filesystem::path& path();
  /// The same for libraries and other ranks that open it themselves: the file is not locked from now on. (HDF5 locks
  /// the files that it opens, and on a network file system a lock keeps other machines from writing.)
  const std::filesystem::path& share();
  /// Open for reading and writing.
  int descriptor() const { return descriptor_; }
  /// Completes the file and renames it. Throws InputError, and leaves no file, if it could not be written.
  void commit();
  /// The same, but throws InputError if the name exists by now, as check_absent does.
  void place_new();
  /// The same without waiting for the disk: for pictures of a series, of which the next one follows soon.
  void place_unsynced();

  /// Removes temporary files that killed processes left, of names with this beginning; the caller knows that they are
  /// not in use. Files that their writer has locked stay.
  static void remove_leftovers(const std::filesystem::path& folder, const std::string& beginning);

 private:
  void sync();
  void rename(bool only_new = false);

  std::filesystem::path name_, target_, path_;
  std::optional<Access> access_;
  std::optional<UnfinishedName> unfinished_;  // of path_; none: the file has no name yet
  int descriptor_ = -1;
};

/// The exception for a file that can't be written: one line with the reason, and what to do. All programs use it.
InputError cannot_write(const std::filesystem::path& file, const std::string& why);
InputError cannot_write(const std::filesystem::path& file, int error);  ///< `error`: a value of errno

/// Throws InputError if a file to be written is one of those that are read, under any name. Empty names and "-" are no
/// files.
void check_apart(const std::filesystem::path& written, const std::filesystem::path& read);
/// The same for several files, and if two of those to be written are one file, whether it exists or not.
void check_apart(const std::vector<std::filesystem::path>& written, const std::vector<std::filesystem::path>& read);

/// Throws InputError if the name exists (a link too, but no device or pipe): such a file is replaced only with --force.
void check_absent(const std::filesystem::path& file);

}  // namespace weft
