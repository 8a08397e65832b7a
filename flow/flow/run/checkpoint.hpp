// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/run/checkpoint_file.hpp"
#include "flow/steering/monitor.hpp"
#include "flow/step/lattice_client.hpp"
#include "flow/vessel/vessel.hpp"
#include "lattice/sparse_lattice.hpp"
#include "program/shared_file.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::flow {

struct Restored {
  std::int64_t step = 0;  ///< number of completed steps, which is the number of the next step
  std::filesystem::path file;
  std::string program_state;         ///< as given to write()
  std::vector<std::string> refused;  ///< newer files that could not be used, each with the reason
};

/// Writes a flow's state to files, so that a run can restart from them: on any number of ranks, with bitwise identical
/// results.
///
/// A state consists of all populations (19 numbers per site with D3Q19), the state of openings, monitors and averages,
/// and the last row that was written. Sites are stored block by block, in an order that does not depend on the ranks.
/// Every rank writes and reads its own blocks, 8 MiB at a time: 184 bytes per site with D3Q19. A file is written under
/// a temporary name, synchronised to the disk and renamed; the header and each block have a CRC-32. The directory keeps
/// the last two checkpoints, whichever run wrote them. Older checkpoints are removed, and so are those of later steps,
/// which an earlier run left. All member functions except due() and can_write() are collective.
class Checkpointer {
 public:
  /// All are borrowed. Not collective; nothing is read or written before write() or restore().
  Checkpointer(mpi::Communicator& world, const Case& c, const Vessel& vessel, lattice::SparseLattice& lattice,
               LatticeClient& client, FlowMonitors& monitors, WallAverages* averages = nullptr);

  /// Whether the case requests a checkpoint after this number of steps: at its interval, and after the last step. Pure.
  bool due(std::int64_t steps_done, bool is_last = false) const;
  /// Whether a checkpoint can be written after this number of steps. Always, unless monitors are phased: then only when
  /// none of their rows is in flight on any number of ranks, which is once in monitor.every steps. Pure. Call it after
  /// FlowMonitors::start.
  bool can_write(std::int64_t steps_done) const;

  /// Writes the state after this number of steps and returns the file's path. restore() returns `program_state` (that
  /// of rank 0 counts). Call it between steps only. Throws InputError on every rank if the disk is full or can't be
  /// written: the earlier files stay, and the unfinished one is removed.
  std::filesystem::path write(std::int64_t steps_done, const std::string& program_state = {});

  /// Restores the lattice, its client and the monitors (after FlowMonitors::start) from a file: `from`, or if that is a
  /// directory its newest valid checkpoint, or if it is empty that of the case's directory. Call StepManager::start_at
  /// next. Throws InputError on every rank if there is no checkpoint, or if it belongs to another case.
  Restored restore(const std::filesystem::path& from);

 private:
  void prepare();
  checkpoint::Header header(std::int64_t steps_done, const std::string& program_state);
  std::vector<checkpoint::Seen> gather_seen();
  void put_blocks(program::SharedFile& out, const checkpoint::Layout& layout, const std::string& header);
  std::optional<Restored> try_restore(const std::filesystem::path& file, std::string& damage);
  void read_blocks(const std::filesystem::path& file, const checkpoint::Layout& layout);
  bool keeps_averages() const { return averages_ != nullptr && averages_->samples() > 0; }
  void restore_seen(const std::vector<checkpoint::Seen>& seen);

  mpi::Communicator& world_;
  const Case& case_;
  const Vessel& vessel_;
  lattice::SparseLattice& lattice_;
  LatticeClient& client_;
  FlowMonitors& monitors_;
  WallAverages* averages_;         ///< may be null
  std::vector<WallSite> walls_{};  ///< set by prepare()
  std::int64_t every_;
  std::optional<BlockPlaces> places_{};  // set by prepare()
  std::string settings_{};
};

}  // namespace weft::flow
