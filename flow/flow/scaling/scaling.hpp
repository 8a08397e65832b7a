// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "flow/case/case.hpp"

namespace weft::flow {

/// Conversion between physical units (SI) and lattice units (voxel, step, reference density).
///
/// Pressure is linear in the lattice density: p = reference_pressure + cs^2 density (dx/dt)^2 (rho - 1), cs^2 = 1/3.
/// The reference is the middle of all prescribed pressures, which keeps rho as close to 1 as possible.
struct Scaling {
  double dx = 0;                                 ///< m, the voxel
  double dt = 0;                                 ///< s, the time step
  double density = 0;                            ///< kg/m^3
  double viscosity = 0;                          ///< kinematic, m^2/s
  double reference_pressure = 0;                 ///< Pa, where the lattice density is 1
  double initial_pressure = reference_pressure;  ///< Pa, of the fluid at the start

  double lattice_viscosity() const { return viscosity * dt / (dx * dx); }
  double tau() const { return 0.5 + 3 * lattice_viscosity(); }

  double speed_unit() const { return dx / dt; }                                       ///< m/s
  double pressure_unit() const { return density * speed_unit() * speed_unit() / 3; }  ///< Pa per unit of rho
  double mass_unit() const { return density * dx * dx * dx; }                         ///< kg
  double flow_unit() const { return dx * dx * dx / dt; }                              ///< m^3/s

  double lattice_speed(double m_per_s) const { return m_per_s / speed_unit(); }
  double speed(double lattice_speed) const { return lattice_speed * speed_unit(); }  ///< m/s
  double lattice_density(double pressure_pa) const { return 1 + (pressure_pa - reference_pressure) / pressure_unit(); }
  double pressure(double rho) const { return reference_pressure + pressure_unit() * (rho - 1); }  ///< Pa
  double mass(double lattice_mass) const { return lattice_mass * mass_unit(); }                   ///< kg
  /// Volume flow for a lattice mass per step, m^3/s.
  double flow(double mass_per_step) const { return mass_per_step * flow_unit(); }
  double time(std::int64_t step) const { return static_cast<double>(step) * dt; }  ///< s
};

/// Mach number of a speed in lattice units.
double mach(double lattice_speed);

/// The scaling of a case. If the case gives no time step, it is chosen so that the fastest expected speed is 0.05
/// voxels per step and, if only pressures are prescribed, tau is at most 0.8 and rho within 2 % of 1. If the pulse with
/// windkessels changes rho by more than 3 %, the time step is shorter, down to a quarter. tau is always from 0.5001
/// (cumulants; others 0.51) to 1.
Scaling make_scaling(const Case& c);

/// Estimated speed and diameter of the fastest flow, before any simulation.
struct FlowEstimate {
  double mean_speed = 0;        ///< m/s, largest mean speed through an opening or Case::narrow
  double peak_speed = 0;        ///< m/s, on the axis
  double diameter = 0;          ///< m, of that lumen
  double pressure_range = 0;    ///< Pa, highest minus lowest prescribed pressure
  bool inside = false;          ///< in Case::narrow, not at an opening
  bool from_pressures = false;  ///< no velocity is prescribed: an estimate by pressure_drop
};

/// The pressure drop along a straight tube at a mean speed, Pa: Poiseuille's and that of Blasius' friction factor 0.316
/// Re^-1/4. The larger one applies.
struct PressureDrop {
  double laminar, turbulent;
};
PressureDrop pressure_drop(const FluidCase& fluid, double speed, double radius, double length);

/// With velocity openings from their parabola. With pressures only: flow in a tube along the straight line between the
/// openings with the highest and lowest pressure.
FlowEstimate estimate_flow(const Case& c);

double reynolds(const FlowEstimate& estimate, const Scaling& scaling);

/// Number of steps to run.
std::int64_t steps_of(const Case& c, const Scaling& scaling);
/// Steps of an output interval; 0: no output.
std::int64_t steps_between(const Every& every, const Scaling& scaling);

/// Steps between two pictures; 0: none.
std::int64_t picture_interval(const Case& c, const Scaling& scaling);

/// The case's magic parameter, or else 3/16; less if TRT's and MRT's odd moments would relax in more than 3.5 steps:
/// slower odd moments oscillate beside openings until the flow becomes unstable (observed from 5.5 steps on; cumulants
/// limit theirs by magnitude).
double magic_of(const LatticeCase& lattice, double tau);

lattice::Parameters lattice_parameters(const Case& c, const Scaling& scaling);
/// An opening's boundary condition at a time, in lattice units.
lattice::OpeningState opening_state(const OpeningCase& opening, const Scaling& scaling, double time_s);
/// The same for a value in Pa or m/s.
lattice::OpeningState opening_state(lattice::OpeningState::Kind kind, const Scaling& scaling, double value);

/// Duration of the start ramp of the openings' values, s: as the case gives it, otherwise a tenth of a beat, but at
/// least ten times the time that sound takes across the vessel.
double start_ramp(const Case& c, const Scaling& scaling);

}  // namespace weft::flow
