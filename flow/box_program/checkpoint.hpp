// SPDX-License-Identifier: BSD-3-Clause
//
// The format of a box's checkpoint. Nothing here is collective.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "box_program/case.hpp"
#include "box_program/monitor.hpp"
#include "box_program/particles.hpp"
#include "box_program/run.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::box_program::checkpoint {

struct Header {
  std::int64_t step = 0;  ///< of steps done, even
  std::string settings;   ///< all settings on which the state depends, one line each
  Reading reading;
  bool has_velocities = false;  ///< after the numbers of each site
  Particles::State particles;   ///< `gained` of all ranks
  std::uint64_t sites = 0, site_bytes = 0;
  std::uint64_t checksum = 0;  ///< of the sites
};

/// The header with its checksum, padded to whole pages: the sites follow.
std::string bytes_of(Header header);
/// Reads the same bytes from a file, whose length must match them. Throws program::DamagedError.
std::string read_header_bytes(const std::filesystem::path& file);
/// Parses a header. Throws program::DamagedError; `file` is for messages. Memory: as much as the bytes.
Header parse(const std::filesystem::path& file, const std::string& bytes);

/// The settings of a case on which its checkpoint depends, as text: a file is restored only if all lines are the same.
std::string settings_of(const Case& c);

}  // namespace weft::box_program::checkpoint

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
