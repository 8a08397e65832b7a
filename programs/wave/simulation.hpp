// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "amr/hierarchy.hpp"
#include "amr/regrid.hpp"
#include "amr/traffic.hpp"
#include "wave/case.hpp"
#include "wave/stepper.hpp"

namespace weft::wave {

/// Diagnostics of a state, bitwise identical on every rank and for any number of ranks: sums are made block by block.
struct Reading {
  std::int64_t step = 0;
  double time = 0;
  double energy = 0;       ///< half the sum over all cells not covered by finer ones of h^3 (v^2 - u A u)
  double largest = 0;      ///< of |u|
  double error = 0;        ///< root mean square of u - exact, over the same cells; 0 unless the case requests it
  std::int64_t cells = 0;  ///< of all levels
  std::vector<std::int64_t> blocks;  ///< of each level

  /// The columns after the step; `levels`: maximum number of levels.
  static std::vector<std::string> columns(int levels);
  std::vector<double> values(int levels) const;
};

/// A case on its ranks. The communication settings never change its result.
class Simulation {
 public:
  /// Transport, case and timeline (see StepperOptions) must outlive the simulation. Creates the first mesh, level by
  /// level, from the exact initial state. Collective.
  Simulation(Transport& world, const Case& c, const amr::TrafficMaker& traffic, Timeline* timeline = nullptr);
  /// Continues from a state after a number of steps: u and v of all inner cells. Collective.
  Simulation(const Case& c, const amr::TrafficMaker& traffic, amr::Hierarchy state, std::int64_t step,
             Timeline* timeline = nullptr);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  /// One step of level 0, after a regrid if one is due. Collective.
  void run_step();
  /// Collective.
  Reading read();
  std::int64_t step() const { return step_; }
  double time() const { return static_cast<double>(step_) * case_->dt(); }

  amr::Hierarchy& hierarchy() { return hierarchy_; }
  const amr::Hierarchy& hierarchy() const { return hierarchy_; }
  Stepper& stepper() { return stepper_; }
  int regrids() const { return regrids_; }

 private:
  void regrid();

  const Case* case_;
  amr::Hierarchy hierarchy_;
  Stepper stepper_;
  std::int64_t step_ = 0;
  int regrids_ = 0;
};

}  // namespace weft::wave
