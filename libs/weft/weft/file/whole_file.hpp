// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <fstream>

namespace weft {

/// A file that is there whole or not at all: written beside its name, then renamed. Not collective, one writer.
class WholeFile {
 public:
  /// Makes the folders above it. Throws InputError if it can't be written there.
  explicit WholeFile(std::filesystem::path path);
  /// Removes what was written unless finish() was called.
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  /// What is written here is in the file after finish().
  std::ostream& stream() { return stream_; }
  /// Where it is until finish(): for other ranks that write parts of it. What stream() was given may still be in its
  /// buffer.
  const std::filesystem::path& beside() const { return beside_; }
  /// Throws InputError if not all of it could be written (the disk is full).
  void finish();

  /// Throws InputError unless a file of this name could be written: for asking before a long run.
  static void check(const std::filesystem::path& path) { WholeFile probe(path); }
  /// The same of a name that a person gave: a folder that is not there is more likely a slip than a wish, unless it is
  /// `made` by the run itself.
  static void check_given(const std::filesystem::path& path, const std::filesystem::path& made = {});

 private:
  std::filesystem::path path_, beside_;
  std::ofstream stream_;
};

}  // namespace weft
