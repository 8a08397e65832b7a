// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "weft/bytes.hpp"

namespace weft::pack {

/// A regular file that is read at any place. It is not mapped: if another program shortened it, reading would end this
/// program (SIGBUS).
class Source {
 public:
  /// Throws InputError unless it is a regular file that can be read.
  explicit Source(std::filesystem::path file);
  ~Source();
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  const std::filesystem::path& file() const { return file_; }
  std::string name() const { return file_.string(); }
  std::uint64_t bytes() const { return bytes_; }

  /// Fills `out` from an offset. Throws InputError if the file has become shorter.
  void read(std::uint64_t from, std::span<std::byte> out) const;
  /// At most `most` bytes from an offset; fewer only at the file's end.
  Bytes piece(std::uint64_t from, std::uint64_t most) const;

 private:
  std::filesystem::path file_;
  std::uint64_t bytes_ = 0;
  int descriptor_ = -1;
};

}  // namespace weft::pack
