// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flow/steering/hooks.hpp"
#include "programs/session.hpp"

namespace weft::python {

/// A run of weft flow. In the steps of on_step the fields are the run's own; afterwards those of the last step, which
/// are copied before the lattice is freed.
class FlowSession final : public Session {
 public:
  std::vector<std::string> quantities{"pressure", "velocity"};  ///< that on_step looks at

  /// A quantity at all sites of this rank, as in the files: (sites,), or (sites, components).
  nb::object field(const std::string& name) const;
  /// (sites, 3) integers, and the lattice's origin and spacing in m.
  nb::object sites() const;
  std::array<double, 3> origin() const { return origin_; }
  double voxel() const { return voxel_; }
  double time_step() const { return time_step_; }
  double time() const { return static_cast<double>(step) * time_step_; }
  /// The corners (m) and cells of VTK's voxels around the sites.
  nb::dict mesh() const;
  /// A command to the run (docs/view.md), as JSON; only inside on_step, the same on all ranks.
  void command(const std::string& json);
  /// The limits of commands, as JSON.
  std::string limits() const;

 protected:
  void run_in(mpi::Communicator& world, const Document& document) override;
  void enter() override { is_in_callback_ = true; }
  void leave(bool succeeded) override;
  std::uint64_t changes() const override;
  void make_changes() override;

 private:
  void start(const flow::Running& running);
  void end(const flow::Running& running, const flow::Case& c);

  std::optional<flow::Running> live_{};
  bool is_in_callback_ = false;
  std::vector<flow::Command> commands_{};
  std::map<std::string, std::vector<double>> kept_{};
  std::vector<geometry::Position> sites_{};
  std::array<double, 3> origin_{};
  double voxel_ = 0, time_step_ = 0;
};

}  // namespace weft::python
