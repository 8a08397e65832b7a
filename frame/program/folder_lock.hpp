// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <vector>

#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace program {

/// Gives one run exclusive use of an output folder, since two runs would mix their files: an operating-system lock on a
/// file in the folder, which ends with the process in every case. On a file system without locks no run is kept out.
class FolderLock {
 public:
  /// Creates the folder, locks it (on rank 0), and removes the unfinished checkpoints and fields of a killed run.
  /// Collective. Throws InputError on every rank if another run writes there, or if the folder can't be created.
  FolderLock(Transport& world, const std::filesystem::path& folder);
  /// Removes the folder if it has created it and it is still empty, as after a refused --restart.
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  void lock(const std::filesystem::path& folder);

  std::filesystem::path file_;
  std::vector<std::filesystem::path> created_;  // the folder and those above it, the deepest first
  int descriptor_ = -1;                         // on rank 0
};

}  // namespace program
}  // namespace weft
