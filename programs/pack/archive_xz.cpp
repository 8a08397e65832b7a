// SPDX-License-Identifier: BSD-3-Clause
#include <lzma.h>

#include "pack/archive.hpp"
#include "weft/error.hpp"

namespace weft::pack {

// liblzma reads from the end of the file, where each stream's index is, and requests seeks.
void detail::find_xz(const Source& source, Archive& archive) {
  if (is_lzma(source.piece(0, 13))) {
    archive.entries.push_back({.at = 0, .bytes = source.bytes()});
    return;
  }
  lzma_stream s = LZMA_STREAM_INIT;
  lzma_index* index = nullptr;
  // A record of the index takes 2 bytes or more of the file, and 16 of memory.
  const std::uint64_t memory = (std::uint64_t{1} << 20) + 64 * source.bytes();
  lzma_ret code = lzma_file_info_decoder(&s, &index, memory, source.bytes());
  Bytes piece;
  for (std::uint64_t at = 0; code == LZMA_OK || code == LZMA_SEEK_NEEDED;) {
    if (code == LZMA_SEEK_NEEDED || s.avail_in == 0) {
      if (code == LZMA_SEEK_NEEDED) at = s.seek_pos;
      piece = source.piece(at, std::uint64_t{1} << 16);
      at += piece.size();
      s.next_in = reinterpret_cast<const std::uint8_t*>(piece.data());
      s.avail_in = piece.size();
    }
    code = lzma_code(&s, LZMA_RUN);
  }
  lzma_end(&s);
  if (code == LZMA_DATA_ERROR || code == LZMA_FORMAT_ERROR ||
      code == LZMA_BUF_ERROR)  // no footer, or no index before it
    throw InputError(source.name() +
                     ": The archive is truncated or damaged (the index at its end is incomplete). "
                     "Copy or create it again.");
  if (code != LZMA_STREAM_END) throw InputError(source.name() + ": " + cause_of_xz(code));
  lzma_index_iter i;
  lzma_index_iter_init(&i, index);
  // Blocks can be read alone if the kind of checksum, which a stream's head states, is the same for all.
  bool same = true;
  for (bool first = true; !lzma_index_iter_next(&i, LZMA_INDEX_ITER_STREAM); first = false) {
    const auto check = static_cast<int>(i.stream.flags->check);
    same = same && (first || check == archive.xz_check);
    archive.xz_check = check;
  }
  lzma_index_iter_rewind(&i);
  while (!lzma_index_iter_next(&i, same ? LZMA_INDEX_ITER_BLOCK : LZMA_INDEX_ITER_STREAM))
    archive.entries.push_back(same ? Entry{.at = i.block.compressed_file_offset,
                                           .bytes = i.block.total_size,
                                           .size = i.block.uncompressed_size}
                                   : Entry{.at = i.stream.compressed_offset,
                                           .bytes = i.stream.compressed_size,
                                           .size = i.stream.uncompressed_size});
  lzma_index_end(index, nullptr);
}

}  // namespace weft::pack
