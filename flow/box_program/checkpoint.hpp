// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "box_program/case.hpp"
#include "box_program/simulation.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::box_program {

/// The state from which a run restarts.
struct Restored {
  std::int64_t step = 0;
  std::filesystem::path file;
  std::vector<std::string> refused;  ///< newer files that were not usable, and the reasons: one sentence each
};

/// A simulation's state in files, from which it continues bitwise identically on any number of ranks:
/// checkpoint_STEP.weft, of which two are kept. See program/checkpoints.hpp for what all programs share.
///
/// In native byte order: a header of 4096 bytes or more (step, settings, particles, monitors, the checksum of the
/// rest), then site by site, the last axis fastest: its numbers in the lattice's precision and, if the monitors check
/// convergence, their last velocity.
class Checkpoints {
 public:
  /// All three must outlive the checkpoints.
  Checkpoints(mpi::Communicator& world, const Case& c, Simulation& simulation);

  /// Whether a checkpoint is possible now: before an even step, and without a pending reading. The same on every rank.
  bool can_write() const;
  /// Collective. Throws InputError on every rank if the disk is full or can't be written: the previous files are kept.
  std::filesystem::path write();
  /// Restores from a file, or from the newest usable file of a folder that is of this case. Collective. Throws
  /// InputError on every rank if there is none.
  Restored restore(const std::filesystem::path& from);

 private:
  bool try_restore(const std::filesystem::path& file, std::string& why, std::int64_t& step);

  mpi::Communicator& world_;
  const Case& case_;
  Simulation& simulation_;
};

}  // namespace weft::box_program
