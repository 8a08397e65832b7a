// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "amr/hierarchy.hpp"
#include "programs/session.hpp"
#include "wave/simulation.hpp"

namespace weft::python {

/// A run of weft wave. Its cells belong to the run until it ends, then to the session, at the same addresses.
class WaveSession final : public Session {
 public:
  double time() const { return static_cast<double>(step) * time_step_; }
  double time_step() const { return time_step_; }
  /// The blocks of this rank, level by level, each as a dict: level, index, origin, spacing, refined, u, v. u and v are
  /// arrays (z, y, x) of the inner cells: read-only views of the run's memory. `owner` keeps it
  /// alive.
  nb::list blocks(nb::handle owner) const;
  int cells() const { return cells_; }

 protected:
  void run_in(mpi::Communicator& world, const Document& document) override;
  void get_ready() override { live_->stepper().settle(); }

 private:
  const amr::Hierarchy* hierarchy() const { return live_ != nullptr ? &live_->hierarchy() : kept_.get(); }

  wave::Simulation* live_ = nullptr;
  std::unique_ptr<amr::Hierarchy> kept_{};
  double time_step_ = 0;
  int cells_ = 0;
};

}  // namespace weft::python
