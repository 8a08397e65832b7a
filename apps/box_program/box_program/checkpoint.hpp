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

/// What a restored run goes on from.
struct Restored {
  std::int64_t step = 0;
  std::filesystem::path file;
  std::vector<std::string> refused;  ///< newer files that were no good, and why: a sentence each
};

/// A simulation's state in files, from which it goes on to the same bits on any number of ranks: checkpoint_STEP.weft,
/// of which two are kept. See program/checkpoints.hpp for what all programs' have in common.
///
/// In the machine's byte order: a header of 4096 bytes or more (step, settings, particles, monitors, the checksum of
/// what follows), then site after site, the last axis fastest: its numbers in the lattice's precision, and where the
/// monitors look at convergence the velocity that they saw last.
class Checkpoints {
 public:
  /// Borrows all three.
  Checkpoints(mpi::Communicator& world, const Case& c, Simulation& simulation);

  /// Whether there can be one now: before an even step, and no reading on its way. The same on every rank.
  bool can_write() const;
  /// Collective. Throws InputError on every rank if the disk is full or can't be written: what was there before stays.
  std::filesystem::path write();
  /// From a file, or from the newest one of a folder that is good and of this case. Collective. Throws InputError on
  /// every rank if there is none.
  Restored restore(const std::filesystem::path& from);

 private:
  bool try_restore(const std::filesystem::path& file, std::string& why, std::int64_t& step);

  mpi::Communicator& world_;
  const Case& case_;
  Simulation& simulation_;
};

}  // namespace weft::box_program
