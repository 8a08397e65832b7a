// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "flow/case/case.hpp"
#include "flow/run/simulation.hpp"
#include "flow/scaling/run_time.hpp"
#include "flow/vessel/shape.hpp"
#include "flow/vessel/vessel.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// What a step takes without messages, by five probes of so many seconds, in which all ranks wait for the slowest after
/// each step; or seven steps. Collective.
StepTimes measure_steps(Transport& transport, const Case& c, const Vessel& vessel, double probe_seconds = 0.1);

/// How many processes were ready to run in the last minute, for each core of the machine that has the most of them; 0
/// if the system does not tell. Collective.
double load_of_a_core(Transport& transport);

/// Million site updates per second of all ranks together, of the usual step of measure_steps(). Collective.
double measure_speed(Transport& transport, const Case& c, const Vessel& vessel);

/// The same, of the case's vessel in some ten thousand sites, for a case whose own voxel is too fine to be tried; 0 if
/// it can't be cut so coarsely. Some tenths of a second. Collective.
double measure_speed_coarsely(Transport& transport, const Case& c, const VesselShape& shape);

/// What a run takes on this machine.
struct Measurement {
  StepTimes step{};          ///< monitors and pictures included
  double files_seconds = 0;  ///< of all files together
  std::int64_t steps = 0;    ///< that were tried
  double peak_bytes = 0;     ///< of memory, of all ranks together
};

/// Runs the first steps as the run itself would, with the same kernel, messages, monitors and pictures, into a folder
/// that goes again: for some seconds. Collective.
Measurement measure_run(mpi::Communicator& world, const Case& c, const Vessel& vessel, RunOptions options);

}  // namespace weft::flow
