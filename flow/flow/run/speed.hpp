// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "flow/case/case.hpp"
#include "flow/run/simulation.hpp"
#include "flow/scaling/cost.hpp"
#include "flow/vessel/vessel.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// Measures the duration of a step without messages, with five probes of `probe_seconds` and at least two steps (even
/// and odd ones differ) each, in which all ranks wait for the slowest after each step. Collective.
StepTimes measure_steps(Transport& transport, const Case& c, const Vessel& vessel, double probe_seconds = 0.1);

/// Average number of runnable processes per core in the last minute, of the machine with the highest load; 0 if
/// unknown. Collective.
double load_of_a_core(Transport& transport);

/// Million site updates per second of all ranks together, from the median of measure_steps(). Collective.
double measure_speed(Transport& transport, const Case& c, const Vessel& vessel);

/// The same for the case's vessel with about 20,000 sites per rank, for a case whose own voxel is too fine for a trial;
/// 0 if the vessel can't be voxelised so coarsely. Takes some tenths of a second. Collective.
double measure_speed_coarsely(Transport& transport, const Case& c, const VesselShape& shape);

/// Measured time and memory of a run on this machine.
struct Measurement {
  StepTimes step{};          ///< monitors and pictures included
  double files_seconds = 0;  ///< for writing all files
  std::int64_t steps = 0;    ///< number of steps of the trial
  double peak_bytes = 0;     ///< peak memory, summed over all ranks
};

/// Runs the first steps for some seconds as the run itself would, with the same kernel, messages, monitors and
/// pictures, into a temporary folder. Collective.
Measurement measure_run(mpi::Communicator& world, const Case& c, const Vessel& vessel, RunOptions options);

}  // namespace weft::flow
