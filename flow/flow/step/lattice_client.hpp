// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/scaling/scaling.hpp"
#include "flow/step/controls.hpp"
#include "flow/vessel/inflow_profiles.hpp"
#include "lattice/observation.hpp"
#include "lattice/sparse_lattice.hpp"
#include "weft/step/client.hpp"

namespace weft::flow {

/// Which steps end with an output, and which diagnostics each step computes. The same on all ranks. The change of the
/// velocity needs a sixth more memory traffic than a step, so it is computed at most every 16th step.
struct Calendar {
  std::int64_t steps = 0;  ///< number of steps, unless the flow converges earlier
  std::int64_t monitor_every = 1, output_every = 0;
  bool convergence = true;
  bool phased = false;             ///< phased monitors: a checkpoint is possible once in monitor_every steps
  std::int64_t output_now = -1;    ///< a step with an additional output at its end
  std::int64_t picture_every = 0;  ///< 0: only pictures for onlookers

  bool is_output(std::int64_t step) const {
    return step == steps - 1 || step == output_now || (output_every > 0 && (step + 1) % output_every == 0);
  }
  /// The end of a run that is stopped in a step: the next step where a checkpoint can be written, or its regular end.
  std::int64_t stopped_at(std::int64_t step) const {
    auto end = step + 1;
    while (phased && end < steps && end % monitor_every != 1 % monitor_every) ++end;
    return end;
  }
  lattice::Diagnostics diagnostics(std::int64_t step) const {
    const auto change_every = monitor_every * ((15 + monitor_every) / monitor_every);
    if (is_output(step) || (picture_every > 0 && (step + 1) % picture_every == 0)) return lattice::Diagnostics::fields;
    if (convergence && step % change_every == 0) return lattice::Diagnostics::change;
    return step % monitor_every == 0 ? lattice::Diagnostics::totals : lattice::Diagnostics::nothing;
  }
};

/// The steps that computed diagnostics; -1: none.
struct ObservedSteps {
  std::int64_t seen = -1;  ///< last step
  std::int64_t fields = -1,
               fields_before = -1;  ///< last step that stored its velocity (and density), and the one before
};

/// The lattice as a client: edge sites are updated before the exchange, interior sites during it.
///
/// The populations for a peer are one contiguous part in each direction, so they are sent and received without copying.
class LatticeClient final : public Client {
 public:
  /// `look(n)`: the diagnostics of step n for the monitors and the fields. All are borrowed.
  LatticeClient(lattice::SparseLattice& lattice, const Case& c, const Scaling& scaling,
                std::function<lattice::Diagnostics(std::int64_t)> diagnostics);

  void request(Requests& requests) override;
  void before(Step& step) override;
  void during(Step& step) override;
  void after(Step& step) override;

  const lattice::SparseLattice& lattice() const { return lattice_; }
  lattice::SparseLattice& lattice() { return lattice_; }
  /// The values of openings and fluid; may be changed between steps.
  Controls& controls() { return controls_; }
  const Controls& controls() const { return controls_; }
  /// Dynamic viscosity in a step at a shear rate (1/s), Pa s.
  double viscosity(std::int64_t step, double shear_rate) const {
    return case_.fluid.is_newtonian() ? controls_.viscosity(step) : case_.fluid.viscosity_at(shear_rate);
  }
  bool is_newtonian() const { return case_.fluid.is_newtonian(); }
  /// The last step that computed diagnostics; -1: none.
  std::int64_t seen_step() const { return observed_.seen; }
  /// The last step that stored its velocity (and its density, if SparseLattice::has_fields), and the one before it; -1:
  /// none.
  std::int64_t fields_step() const { return observed_.fields; }
  std::int64_t fields_before() const { return observed_.fields_before; }
  /// The last step of this run that stored its stress; -1: none.
  std::int64_t stress_step() const { return stress_step_; }
  const ObservedSteps& observed() const { return observed_; }
  /// Restores the state of an earlier run.
  void restore(const ObservedSteps& observed) { observed_ = observed; }

 private:
  void set_openings(std::int64_t step);

  lattice::SparseLattice& lattice_;
  const Case& case_;
  const Scaling& scaling_;
  std::vector<std::optional<Womersley>> waves_;  // of openings with a Womersley profile
  std::vector<double> amplitudes_;
  Controls controls_;
  bool is_set_ = false;  // openings and fluid were set in the first step
  std::function<lattice::Diagnostics(std::int64_t)> diagnostics_of_;
  lattice::Diagnostics diagnostics_ = lattice::Diagnostics::nothing;
  ObservedSteps observed_;
  std::int64_t stress_step_ = -1;
};

}  // namespace weft::flow
