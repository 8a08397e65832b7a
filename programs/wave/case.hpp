// SPDX-License-Identifier: BSD-3-Clause
//
// The content of a case file of `weft wave`. docs/wave.md describes the format for users.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "amr/tree.hpp"
#include "program/overrides.hpp"
#include "wave/boundary.hpp"
#include "wave/criterion.hpp"
#include "wave/kernels.hpp"
#include "wave/start.hpp"
#include "weft/exchange/plan.hpp"
#include "weft/progress/progress.hpp"

namespace weft::wave {

struct OutputCase {
  std::filesystem::path directory;  ///< relative to the working directory
  std::int64_t every = 0;           ///< steps; 0: only at the end
  bool pictures = true;             ///< at the end
  bool operator==(const OutputCase&) const = default;
};

/// The communication settings of a run; they never change its result.
struct CommunicationCase {
  ProgressOptions::Kind progress = ProgressOptions::Kind::polling;
  Grouping grouping = Grouping::per_peer;
  bool shared_memory = false;    ///< ranks on one node exchange messages through shared memory
  bool defer_unpacking = false;  ///< see MessageOptions
  bool operator==(const CommunicationCase&) const = default;
};

/// Waves in a box, as described by the user, without units.
struct Case {
  std::filesystem::path file;
  std::string title;   ///< default: the file's stem
  amr::Domain domain;  ///< periodic according to the boundaries
  amr::Curve curve = amr::Curve::hilbert;
  Boundaries boundaries{};
  double speed = 1;
  Laplacian laplacian = Laplacian::fourth;
  double cfl = 0.4;  ///< speed dt / h
  std::vector<Pulse> pulses;
  Refinement refinement;
  std::int64_t steps = 0;          ///< of level 0
  std::optional<double> time{};    ///< the given end; the run ends with the step that is nearest to it
  std::int64_t monitor_every = 1;  ///< steps
  bool error = false;              ///< compare with the pulses' exact solution
  OutputCase output;
  CommunicationCase communication;
  std::int64_t constraint_every = 0;   ///< steps between two solves of the elliptic constraint; 0: none
  double constraint_tolerance = 1e-6;  ///< residual over the largest right-hand side
  std::int64_t checkpoint_every = 0;   ///< steps, and at the end; 0: none

  double dt() const { return cfl * domain.spacing / speed; }
  bool operator==(const Case&) const = default;
};

/// Reads a case file. Each override is "key=value" with a dotted key: "run.steps=100". Not collective and pure. Throws
/// InputError with file, line, key, reason and allowed values.
Case read_case(const std::filesystem::path& file, std::span<const std::string> overrides = {});
/// The same from a case file's document; `file` gives the case its name.
Case read_case(const program::Value& document, const std::filesystem::path& file);
/// Removes the keys that the changed key excludes.
void remove_excluded(const program::Override& changed);

}  // namespace weft::wave
