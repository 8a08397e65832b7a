// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "amr/hierarchy.hpp"
#include "weft/mpi/communicator.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace amr {

/// Identifies the case of a checkpoint. A run can restart only from a checkpoint with the same identity.
struct Identity {
  Domain domain;
  int saved_fields = 1;  ///< the first fields of the hierarchy; all others follow from them
  std::string settings;  ///< all other settings of the state, one per line: messages quote the first that differs
};

/// Writes the inner cells of all blocks of all levels, so that a run can restart, on any number of ranks and with
/// bitwise identical results. A temporary file is written and renamed, every rank writing its own blocks; the header,
/// each block's table entry and each block's cells have a CRC-32. The last two files are kept: NAME_STEP.weft.
///
/// In the machine's byte order: a header of 4096 bytes or more (magic number, step, time, domain, settings, and the
/// blocks with their checksums), then block after block, its fields one after the other, x fastest. Not thread-safe.
class CheckpointWriter {
 public:
  /// `communicator` must live as long as the writer; its ranks are the hierarchy's. Creates the directory. Collective.
  /// Throws InputError on every rank.
  CheckpointWriter(mpi::Communicator& communicator, std::filesystem::path directory, Identity identity);

  /// Writes a checkpoint and returns the file's path. Collective. Throws InputError on every rank if the disk is full
  /// or can't be written: earlier files stay, and the unfinished file is removed.
  std::filesystem::path write(std::int64_t step, double time, const Hierarchy& hierarchy);

 private:
  mpi::Communicator& communicator_;
  std::filesystem::path directory_;
  Identity identity_;
};

struct Restored {
  Hierarchy hierarchy;  ///< all ghosts, and the fields that were not saved, are zero
  std::int64_t step = 0;
  double time = 0;
  std::filesystem::path file;
  std::vector<std::string> refused;  ///< newer files that could not be used, and why: one sentence each
};

/// Restores the state of a file, or of the newest checkpoint of a folder that is valid and of this case (those that are
/// skipped are listed), as a hierarchy of `fields` fields distributed over these ranks. Reads each byte once, on the
/// rank that needs it. Collective. Throws InputError on every rank if there is none: damaged, incomplete, or of another
/// case.
Restored restore(Transport& transport, const std::filesystem::path& from, const Identity& identity, int fields,
                 Curve curve = Curve::hilbert);

}  // namespace amr
}  // namespace weft
