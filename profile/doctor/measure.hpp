// SPDX-License-Identifier: BSD-3-Clause
// Measurements of one library on two ranks, started by its own launcher.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "doctor/libraries.hpp"
#include "doctor/machine.hpp"
#include "doctor/tools.hpp"

namespace weft::doctor {

/// An operation overlapped with an equally long computation.
struct Overlap {
  double bytes = 0, transfer_seconds = 0;
  double progressed = 0;  ///< share that completed during the computation, at whatever cost
  double fraction = 0;    ///< overlap fraction with an equally long computation
  int repeats = 0;
};

struct Measured {
  std::string thread_level;                      ///< provided if the highest is requested
  std::vector<std::vector<int>> cores_of_ranks;  ///< on which the launcher lets each rank run
  double eager_bytes = 0;      ///< size of the largest send that ends while the receiver is outside MPI
  double waited_for_core = 0;  ///< share of the time in which other programs had a rank's core
  Overlap isend, iallreduce;

  /// Whether other programs disturbed the measurement.
  bool disturbed() const { return waited_for_core > 0.25; }
  /// Whether both operations make asynchronous progress while a program computes, at whatever cost.
  bool progresses() const { return isend.progressed > 0.7 && iallreduce.progressed > 0.7; }

  /// Whether each rank may use fewer cores than this process.
  bool pinned(const Machine& machine) const;
};

/// Whether a library takes addresses of a device, as tried on two ranks in processes of their own.
struct DeviceProbe {
  std::string device;   ///< its name
  std::string trouble;  ///< why it does not work; empty: it works
  bool tried = true;    ///< false: there is no device
};

/// A library and the findings about it.
struct Examined {
  Library library;
  std::optional<Launcher> launcher;
  std::optional<Measured> measured;
  std::optional<DeviceProbe> device;
  bool failed = false;                                         ///< it has a launcher, but two ranks did not run
  std::string trouble;                                         ///< why nothing was measured
  std::vector<std::pair<std::string, double>> eager_settings;  ///< transport and bytes, from the library's own settings
};

/// Takes at most `seconds`.
void measure(Examined& examined, const Machine& machine, double seconds);

/// Tries to send memory of a device. Takes at most `seconds`.
void try_device(Examined& examined, const Machine& machine, double seconds);

/// The environment variables that the launcher needs on this machine.
std::vector<std::pair<std::string, std::string>> launch_environment(const Launcher& launcher, const Machine& machine);

}  // namespace weft::doctor
