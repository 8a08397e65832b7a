// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pack/codec.hpp"
#include "weft/file/beside.hpp"
#include "weft/transport/transport.hpp"

namespace weft::pack {

/// Whether reading it may have to wait for another program: "-", a pipe, or a device.
bool is_pipe(const std::string& name);

/// Several files as one, in order; "-" is the standard input.
class Input {
 public:
  /// Throws InputError that names the first file that can't be read.
  explicit Input(std::vector<std::string> files);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  /// Whether it can be read at any offset: all are regular files.
  bool plain() const { return plain_; }
  /// The size of all regular files.
  std::uint64_t bytes() const { return bytes_; }
  /// What all of the files allow, as gzip, xz and zstd give it to their output; none: there is no regular
  /// file.
  const std::optional<Access>& access() const { return access_; }

  /// Fills `out` from an offset. Throws InputError if a file has become shorter. Only if plain().
  void read(std::uint64_t from, std::span<std::byte> out);
  /// Reads the next bytes; fewer than requested only at the end. Throws InputError if no program writes into a pipe
  /// within 5 s.
  std::size_t read_next(std::span<std::byte> out);

 private:
  struct File {
    std::string name;
    std::uint64_t from = 0, bytes = 0;
  };
  void open(std::size_t index);

  std::vector<File> files_;
  bool plain_ = true;
  std::uint64_t bytes_ = 0;
  std::optional<Access> access_;
  std::size_t open_index_ = ~std::size_t{0}, next_ = 0;
  int descriptor_ = -1;
};

/// Opens the files on all ranks, and returns whether each rank can read for itself: they are regular files, and no rank
/// sees another file of a name (program::other_file_seen). Otherwise only rank 0's input is valid. Collective; throws
/// rank 0's error on all ranks.
bool open_input(Transport& world, const std::vector<std::string>& files, std::unique_ptr<Input>& input);

}  // namespace weft::pack
