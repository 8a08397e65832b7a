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
#include "weft/mpi/communicator.hpp"

namespace weft::pack {

/// Where results go: a file that rank 0 or all ranks write, or rank 0's standard output. There whole or not at all.
class Output {
 public:
  /// Collective; throws on every rank if it can't be written, or is there and `overwrite` is not said.
  Output(mpi::Communicator& world, const std::string& name, MapOptions::Way way, bool overwrite);

  /// Fills in how an ordered map writes here; `placed(block, bytes)` is told in order, on rank 0.
  void serve(Work& work, std::function<void(const Block&, std::uint64_t bytes)> placed);
  /// Rank 0 appends.
  void append(View bytes);
  /// Rank 0: for what comes after all blocks.
  std::ostream& trailer();
  /// Ends the ranks' writing, before the trailer: what they wrote is on the disk. Collective; throws InputError on
  /// every rank.
  void close_shared();
  /// It is there from now on. Rank 0. Throws InputError if it may not overwrite what has come meanwhile.
  void finish();

 private:
  mpi::Communicator& world_;
  std::string name_;
  bool overwrite_;
  std::unique_ptr<WholeFile> file_;
  std::unique_ptr<program::SharedFile> shared_;
};

/// How far it is, on rank 0's standard error; none unless it is to be shown. 0 total: unknown. `out_bytes`, what has
/// come of it so far, is borrowed.
std::optional<program::ProgressBar> make_bar(bool shown, std::uint64_t total_bytes, const std::uint64_t& out_bytes);

}  // namespace weft::pack
