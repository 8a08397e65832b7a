// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "weft/error.hpp"
#include "weft/file/unfinished.hpp"

namespace [[gnu::visibility("default")]] weft {

/// Who may use a file.
struct Access {
  mode_t mode = 0600;  ///< permissions
  uid_t owner = 0;     ///< number of the user
  gid_t group = 0;     ///< number of the group

  /// What both files allow: for a file that is made from two others.
  Access operator&(const Access& other) const;
};
/// The access of a plain file; none if there is no such file.
std::optional<Access> access_of(const std::filesystem::path& file);

/// A temporary file that gets its name only when it is complete. Not collective; one writer.
///
/// The temporary file is in the folder of the name. commit() syncs it, renames it and syncs the folder, so that after a
/// power failure there is the old file or the new one. Where the file system has files without a name (O_TMPFILE) the
/// temporary file is one, so a killed process leaves nothing. Elsewhere, and if other code must open it, it is called
/// NAME.weft-XXXXXXXXXXXX, with random letters (the last four are a checksum, so that no user's file has such a name by
/// accident). It is created only where no file exists; no link is followed.
///
/// If the name is a link, the link stays, and its target is replaced. On completion the file gets `access`, or else the
/// access of the file that it replaces; until then only this user can use it. (An owner or group that this user may not
/// set is not set; the group then gets no more than all have.) Without both, it is created as usual.
///
/// The temporary file is locked while it is written. One that a killed process left is not locked: a later writer of
/// NAME removes it, one day after it was last written.
class Beside {
 public:
  /// Creates the temporary file. Throws InputError if the file can't be written there (its folder must exist), or if
  /// the name belongs to something other than a plain file.
  explicit Beside(std::filesystem::path name, std::optional<Access> access = {});
  /// Removes the temporary file unless it was completed.
  ~Beside();
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

  /// The path of the temporary file, which gets a name if it has none.
  const std::filesystem::path& path();
  /// The same for libraries and other ranks that open the file themselves: it is not locked from now on. (HDF5 locks
  /// it; on a network file system a lock keeps other machines from writing.)
  const std::filesystem::path& share();
  /// The temporary file, open for reading and writing.
  int descriptor() const { return descriptor_; }
  /// Completes the file and renames it. Throws InputError, and leaves no file, if it could not be written.
  void commit();
  /// The same, but throws InputError if the name exists by now, as check_absent does.
  void place_new();
  /// The same without waiting for the disk: for a picture of a series that the next one soon replaces.
  void place_unsynced();

  /// Removes temporary files of names with this beginning that killed processes left. The caller knows that they are
  /// not in use; files that their writer has locked stay.
  static void remove_leftovers(const std::filesystem::path& folder, const std::string& beginning);

 private:
  void sync();
  void rename(bool only_new = false);

  std::filesystem::path name_, target_, path_;
  std::optional<Access> access_;
  std::optional<UnfinishedName> unfinished_;  // of path_; none: the file has no name yet
  int descriptor_ = -1;
};

/// The exception for a file that can't be written: one line with the reason, and what to do.
InputError cannot_write(const std::filesystem::path& file, const std::string& why);
InputError cannot_write(const std::filesystem::path& file, int error);  ///< `error`: a value of errno

/// Throws InputError if `written` and `read` are the same file, also under different names. Empty names and "-" are no
/// files.
void check_apart(const std::filesystem::path& written, const std::filesystem::path& read);
/// The same for several files. Also throws if two of `written` are the same file, which need not exist.
void check_apart(const std::vector<std::filesystem::path>& written, const std::vector<std::filesystem::path>& read);

/// Throws InputError if the name exists, even as a link, unless it is a device or pipe: programs replace files only
/// with --force.
void check_absent(const std::filesystem::path& file);

}  // namespace weft
