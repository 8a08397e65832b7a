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

/// Fields and checkpoints of one run, in the case's directory. Not thread-safe.
class Outputs {
 public:
  /// `communicator` and case must outlive the outputs. `from_step`: the step at which the run begins; the index keeps
  /// the earlier run's files up to there. Collective. Throws InputError on every rank.
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

/// The state from which a run restarts: of `file`, or if that is empty of the newest usable checkpoint in the case's
/// directory. Collective. Throws InputError on every rank.
amr::Restored read_checkpoint(Transport& world, const Case& c, const std::filesystem::path& file);

}  // namespace weft::wave
