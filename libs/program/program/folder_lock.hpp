// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>

#include "weft/transport/transport.hpp"

namespace weft::program {

/// Keeps an output folder to one run, since two would mix their files: a lock of the operating system's on a file in
/// it, which ends with the process, however that ends. Where a file system has no locks, nobody is kept out.
class FolderLock {
 public:
  /// Makes the folder, locks it (rank 0 does), and removes the unfinished checkpoints and fields of a run that was
  /// killed. Collective. Throws InputError on every rank if another run writes there, or if it can't be made.
  FolderLock(Transport& world, const std::filesystem::path& folder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  void lock(const std::filesystem::path& folder);

  std::filesystem::path file_;
  int descriptor_ = -1;  // on rank 0
};

}  // namespace weft::program
