// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "flow/case/case.hpp"
#include "flow/run/simulation.hpp"
#include "flow/vessel/shape.hpp"
#include "flow/vessel/vessel.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// Million site updates per second of all ranks together, from a few steps without messages: for estimates of run time.
/// Collective.
double measure_speed(Transport& transport, const Case& c, const Vessel& vessel);

/// The same, of the case's vessel in some ten thousand sites, for a case whose own voxel is too fine to be tried; 0 if
/// it can't be cut so coarsely. Some tenths of a second. Collective.
double measure_speed_coarsely(Transport& transport, const Case& c, const VesselShape& shape);

/// What a run takes on this machine.
struct Measurement {
  double step_seconds = 0;   ///< of a step, monitors and pictures included
  double files_seconds = 0;  ///< of all files together
  std::int64_t steps = 0;    ///< that were tried
  double peak_bytes = 0;     ///< of memory, of all ranks together
};

/// Runs the first steps as the run itself would, with the same kernel, messages, monitors and pictures, into a folder
/// that goes again: for some seconds. Collective.
Measurement measure_run(mpi::Communicator& world, const Case& c, const Vessel& vessel, RunOptions options);

}  // namespace weft::flow
