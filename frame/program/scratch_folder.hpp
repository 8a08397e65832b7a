// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "weft/transport/transport.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace program {

/// A private folder for temporary files, in $TMPDIR, with an unpredictable name: weft-PURPOSE-XXXXXX. The destructor
/// removes it with its contents.
class ScratchFolder {
 public:
  /// Not collective. Throws InputError if it can't be created.
  explicit ScratchFolder(const std::string& purpose);
  /// One folder for all ranks, created and removed by rank 0. Collective, and so is the destructor: no rank may use the
  /// folder then. Throws InputError on every rank.
  ScratchFolder(Transport& world, const std::string& purpose);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  bool is_ours_ = true;
  std::filesystem::path path_;
};

}  // namespace program
}  // namespace weft
