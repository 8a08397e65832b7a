// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "weft/transport/transport.hpp"

namespace weft::program {

/// A folder of our own for files that nobody keeps, in that for temporary files ($TMPDIR), with a name that nobody can
/// guess: weft-PURPOSE-XXXXXX. It goes, with what is in it, when this does.
class ScratchFolder {
 public:
  /// Not collective. Throws InputError if it can't be made.
  explicit ScratchFolder(const std::string& purpose);
  /// One folder, which rank 0 makes and removes, and all know. Collective, the end too: nobody may still use it then.
  /// Throws InputError on every rank.
  ScratchFolder(Transport& world, const std::string& purpose);
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  bool is_ours_ = true;
  std::filesystem::path path_;
};

}  // namespace weft::program
