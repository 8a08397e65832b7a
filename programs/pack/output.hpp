// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <ostream>
#include <string>

#include "pack/ordered_map.hpp"
#include "program/progress_bar.hpp"
#include "program/shared_file.hpp"
#include "weft/file/whole_file.hpp"
#include "weft/transport/transport.hpp"

namespace weft::pack {

/// The output: a file that rank 0 or all ranks write, or rank 0's standard output. Written completely or not at all.
class Output {
 public:
  /// With the access of the inputs (rank 0's value counts). Collective; throws on every rank if it can't be written, or
  /// if it exists and `overwrite` is false. Way::parallel needs an mpi::Communicator.
  Output(Transport& world, const std::string& name, MapOptions::Way way, bool overwrite, std::optional<Access> access);

  /// For a test: takes the bytes and writes nothing.
  explicit Output(Transport& world) : world_(world), writes_(false), overwrite_(false) {}
  ~Output();
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  /// Returns the way for an ordered map: with Way::gather, ranks of one machine that all see the file write it
  /// themselves, since copies to rank 0 would cost more. Collective; before serve.
  MapOptions::Way share();

  /// The bytes before those of an ordered map, the same on all ranks. Before serve.
  void head(View bytes);
  /// Sets the write functions of an ordered map; `placed(block, bytes)` is called in order, on rank 0.
  void serve(Work& work, std::function<void(const Block&, std::uint64_t bytes)> placed);
  /// Writes at an offset behind the head, if all ranks write (Way::parallel). On any rank.
  void write(std::uint64_t at, View bytes);
  /// Appends; on rank 0.
  void append(View bytes);
  /// On rank 0: appends the data after all blocks, if all ranks have written, too.
  void tail(View bytes);
  /// Ends the ranks' writing, before the tail: their data are on the disk. Collective; throws InputError on every
  /// rank.
  void close_shared();
  /// Puts the file in place. On rank 0. Throws InputError if it may not replace a file that appeared meanwhile.
  void finish();

 private:
  void write_here(std::uint64_t at, View out) const;

  Transport& world_;
  std::string name_;
  bool writes_ = true, overwrite_;
  MapOptions::Way way_ = MapOptions::Way::parallel;
  int descriptor_ = -1;  // of each rank of one machine
  std::uint64_t head_bytes_ = 0, appended_ = 0;
  std::unique_ptr<WholeFile> file_;
  std::unique_ptr<program::SharedFile> shared_;
};

/// A progress bar on rank 0's standard error; none unless `shown`. A total of 0: unknown. `out_bytes`, the output so
/// far, must outlive it.
std::optional<program::ProgressBar> make_bar(bool shown, std::uint64_t total_bytes, const std::uint64_t& out_bytes);

}  // namespace weft::pack
