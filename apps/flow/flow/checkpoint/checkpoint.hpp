// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/checkpoint/block_places.hpp"
#include "flow/checkpoint/checkpoint_file.hpp"
#include "flow/monitoring/monitor.hpp"
#include "flow/step/lattice_client.hpp"
#include "flow/vessel/vessel.hpp"
#include "lattice/sparse_lattice.hpp"
#include "program/shared_file.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::flow {

struct Restored {
  std::int64_t step = 0;  ///< steps that are done, so the number of the next one
  std::filesystem::path file;
  std::string program_state;         ///< as it was given to write()
  std::vector<std::string> refused;  ///< newer files that were no good, and why: a sentence each
};

/// Keeps a flow's state in files, so that a run can go on from there: on any number of ranks, with the same bits.
///
/// A state is all populations (19 numbers a site), what openings, monitors and averages remember, and which rows were
/// told. Sites lie block by block in an order that does not depend on the ranks. Every rank writes and reads its own
/// blocks, 8 MiB at a time: 184 bytes a site of D3Q19. A file is written beside its name, brought to the disk and
/// renamed; the header and each block have a CRC-32. The last two stay in the directory, whoever wrote them; older ones
/// go, and those of later steps, which are of a past that the run no longer has. All member functions but due() and
/// can_write() are collective.
class Checkpointer {
 public:
  /// All are borrowed. Not collective; nothing is read or written before write() or restore().
  Checkpointer(mpi::Communicator& world, const Case& c, const Vessel& vessel, lattice::SparseLattice& lattice,
               LatticeClient& client, FlowMonitors& monitors, WallAverages* averages = nullptr);

  /// Whether the case asks for a checkpoint after so many steps: every so often, and after the last one. Pure.
  bool due(std::int64_t steps_done, bool is_last = false) const;
  /// Whether one can be written there. Always, but if monitors are phased: then where none of their rows is on its way
  /// on any number of ranks, which is once in monitor.every steps. Pure. After FlowMonitors::start.
  bool can_write(std::int64_t steps_done) const;

  /// Writes the state after so many steps and returns the file's path. `program_state` (rank 0's counts) comes back
  /// from restore(). Between steps only. Throws InputError on every rank if the disk is full or can't be written: the
  /// files that were there stay, and the unfinished one is removed.
  std::filesystem::path write(std::int64_t steps_done, const std::string& program_state = {});

  /// Puts the lattice, its client and the monitors (after FlowMonitors::start) where a file was written: `from`, or if
  /// that is a directory its newest one that is good, or if it is empty that of the case's directory. Next is
  /// StepManager::start_at. Throws InputError on every rank if there is none, or if it is of another case.
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
  WallAverages* averages_;         ///< null: none
  std::vector<WallSite> walls_{};  ///< once they were needed
  std::int64_t every_;
  std::optional<BlockPlaces> places_{};  // once they were needed
  std::string settings_{};
};

}  // namespace weft::flow
