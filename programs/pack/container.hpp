// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "pack/archive.hpp"
#include "pack/codec.hpp"

namespace weft::pack {

/// What an archive has around its blocks. An archive has an end that can't be missed: if it is cut between two blocks,
/// as a broken pipe cuts, every tool must refuse it.
///
/// zstd: an empty frame in a form that only weft writes, and at the end the seek table, which `zstd` skips; only
/// `weft unpack` misses it. bzip2: head and end of one stream, with its checksum. gzip: head and end of one member,
/// with its checksum and size, then the index, in empty members. xz: head, index and foot of one stream.
class Container {
 public:
  virtual ~Container() = default;
  /// The bytes before the first block: the same on all ranks.
  virtual Bytes head() const = 0;
  /// The next block in order, with the number that Codec::compress returned for it.
  virtual void add(const Entry& block, std::uint64_t note) = 0;
  /// The bytes after the last block. `entries`: the head, if there is one, and the blocks.
  virtual Bytes tail(const std::vector<Entry>& entries) = 0;
};

/// Throws InputError if this weft was built without the format.
std::unique_ptr<Container> make_container(Codec::Kind kind, int level);

namespace detail {
/// Whether a zstd frame begins like the one before the blocks of weft's archives: a seek table must end the archive.
constexpr std::size_t zstd_start_bytes = 16;
bool is_zstd_start(View frame);
bool is_seek_table(View frame);
std::unique_ptr<Container> make_xz_container();
}  // namespace detail

}  // namespace weft::pack
