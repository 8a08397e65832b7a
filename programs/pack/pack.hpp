// SPDX-License-Identifier: BSD-3-Clause
//
// The programs `weft pack` and `weft unpack`: files compressed on all ranks, with a window of blocks in flight to the
// writer while the next are compressed, in formats that zstd, bzip2 and xz read.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pack/codec.hpp"
#include "pack/ordered_map.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/progress/progress.hpp"
#include "weft/timeline/timeline.hpp"
#include "weft/tune/tuning.hpp"

namespace weft::pack {

/// The progress of results while ranks compute; none: a thread if ranks are on different machines, else polling.
using Drive = std::optional<ProgressOptions::Kind>;

struct PackOptions {
  std::vector<std::string> files;  ///< packed one after the other; "-" is the standard input
  std::string out;                 ///< "-" is the standard output
  Codec::Kind codec = Codec::Kind::zstd;
  std::optional<int> level{};   ///< default: the format's
  std::size_t block_bytes = 0;  ///< of input; 0: the format's
  MapOptions::Way way = MapOptions::Way::gather;
  std::size_t window = 3;
  Drive progress{};
  bool overwrite = false;        ///< replace an existing output
  bool bar = false;              ///< on rank 0's standard error
  Timeline* timeline = nullptr;  ///< see MapOptions
};

struct Range {
  std::uint64_t from = 0, to = 0;  ///< bytes of the content
};

struct UnpackOptions {
  std::filesystem::path file;  ///< "-" is the standard input
  std::string out;
  std::optional<Range> range{};  ///< default: all
  bool test = false;             ///< verify the archive and write nothing
  MapOptions::Way way = MapOptions::Way::gather;
  std::size_t window = 3;
  Drive progress{};
  bool overwrite = false, bar = false;
  Timeline* timeline = nullptr;  ///< see MapOptions
};

/// Valid on rank 0.
struct Packed {
  std::uint64_t in_bytes = 0, out_bytes = 0, blocks = 0;
  double seconds = 0;
  bool one_rank = false;  ///< unpack: the archive has no parts, so one rank read it from end to end
};

/// Compresses files to one file, block by block on all ranks, from which the format's standard tool restores every
/// byte; with an index (zstd, xz: in the file; bzip2: beside it), so that unpack is parallel and reads any range
/// without the rest.
///
/// The output is written completely or not at all. Each rank reads its blocks itself if it sees the files with the same
/// size as rank 0, and gets them from rank 0 otherwise. Memory is bounded by the blocks in flight (see ordered_map),
/// not by the files. Collective; throws InputError on every rank.
Packed pack(mpi::Communicator& world, const PackOptions& options);

/// Chooses window and progress of `options` from stored results, or by a dry run that compresses the first blocks of
/// the input and discards them: at most four for each rank, for about 10 s. Without a dry run if the input is short or
/// not in regular files that all ranks see. Returns a text for the user. Collective; throws InputError on every rank.
std::string tune(mpi::Communicator& world, PackOptions& options, const Tuning::Options& how);

/// Decompresses any zstd, bzip2 or xz file: in parallel if it consists of several frames (streams), as those of pack,
/// pzstd and pbzip2 do, and is a regular file. Verifies checksums. Collective; throws InputError on every rank: not an
/// archive, truncated, damaged.
Packed unpack(Transport& world, const UnpackOptions& options);

/// What is known of an archive without unpacking it.
struct Listing {
  std::string format;
  std::uint64_t parts = 0, bytes = 0;
  std::optional<std::uint64_t> content_bytes{};
};
/// By the archive's index, or by its frames. Not collective. Throws InputError as unpack does.
Listing list(const std::filesystem::path& file);

namespace detail {
MapOptions map_options(MapOptions::Way way, std::size_t window, Progress& progress, Timeline* timeline = nullptr);
ProgressOptions progress_options(const Transport& world, const Drive& chosen);
}  // namespace detail

}  // namespace weft::pack
