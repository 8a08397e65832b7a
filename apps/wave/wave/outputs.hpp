// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "amr/files/amr_writer.hpp"
#include "amr/files/checkpoint.hpp"
#include "wave/case.hpp"
#include "wave/simulation.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::wave {

/// All that the state of a case depends on: a checkpoint goes on only in a case that has the same.
amr::Identity identity_of(const Case& c);

/// Fields and checkpoints of one run, in the case's directory. Not thread-safe.
class Outputs {
 public:
  /// `communicator` and case are borrowed. `from_step`: of the state that the run begins with; what an earlier run
  /// wrote up to there stays in the index. Collective. Throws InputError on every rank.
  Outputs(mpi::Communicator& communicator, const Case& c, std::int64_t from_step);

  /// Writes the fields that are due after a step, and returns their file. Collective; does nothing on most steps.
  /// Throws InputError on every rank.
  std::vector<std::filesystem::path> write_fields_if_due(Simulation& simulation, bool is_last);
  bool is_checkpoint_due(std::int64_t step, bool is_last) const;
  /// Collective. Throws InputError on every rank.
  std::filesystem::path write_checkpoint(Simulation& simulation);

 private:
  const Case* case_;
  std::optional<amr::AmrWriter> fields_;
  std::optional<amr::CheckpointWriter> checkpoints_;
};

/// The state that a run goes on from: of `file`, or if that is empty of the last good checkpoint in the case's
/// directory. Collective. Throws InputError on every rank.
amr::Restored read_checkpoint(Transport& world, const Case& c, const std::filesystem::path& file);

}  // namespace weft::wave
