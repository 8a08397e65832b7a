// SPDX-License-Identifier: BSD-3-Clause
//
// The content of a case file. docs/flow.md describes the format for users.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include "flow/case/circulation_case.hpp"
#include "flow/case/extract_case.hpp"
#include "flow/case/fluid.hpp"
#include "flow/case/table.hpp"
#include "geometry/domain.hpp"
#include "geometry/extend_opening.hpp"
#include "insitu/pictures.hpp"
#include "lattice/sparse_lattice.hpp"
#include "weft/collective/monitors.hpp"

namespace weft::flow {

/// Targets of the tuned windkessels.
struct TuneCase {
  enum class Split : std::uint8_t { murray, area, given };

  bool wanted = false;
  std::optional<double> systolic{}, diastolic{};  ///< Pa; both or none
  std::optional<double> mean{}, pulse{};          ///< Pa; if those are not given. No pulse: only the mean is tuned
  std::size_t at = 0;                             ///< the opening whose pressure has these targets
  Split split = Split::murray;
  std::vector<double> share{};  ///< for each opening its fraction of the flow through the tuned outlets; 0: not tuned
  double proximal = 0.1;        ///< proximal fraction of each outlet's resistance
  double behind = 0;            ///< pressure far behind, Pa
  double tolerance = 0.01;      ///< relative tolerance of the targets

  std::optional<double> wanted_pulse() const { return systolic ? std::optional(*systolic - *diastolic) : pulse; }
  /// The target mean. `above`: the mean minus the lowest pressure of the waveform.
  double wanted_mean(double above) const { return systolic ? *diastolic + above : *mean; }
  std::string text() const;  ///< shortest numbers that read back bitwise identical
  bool operator==(const TuneCase&) const = default;
};

struct SurfaceCase {
  std::filesystem::path file;  ///< relative paths are already joined to the case file's folder
  double metres_per_unit = 1;  ///< length of one unit of the file
  double voxel = 0;            ///< m
  /// Position of one site, m. .gmy file: the site (0, 0, 0). Surface: any site; if not given, sites begin half a voxel
  /// outside the surface's bounding box.
  std::optional<geometry::Vector> origin;

  /// Whether the file is a vessel that HemeLB's tools have voxelised, not a surface.
  bool is_gmy() const { return file.extension() == ".gmy"; }
  /// For printing: "mm"; a position in metres as "(1, 2.5, 3) mm".
  std::string unit_name() const;
  std::string place_text(const geometry::Vector& p) const;
  bool operator==(const SurfaceCase&) const = default;
};

struct LatticeCase {
  lattice::VelocitySet velocities = lattice::VelocitySet::d3q19;
  bool velocities_are_chosen = false;  ///< choose_lattice() sets them once the lumens are known
  lattice::Precision precision = lattice::Precision::fp64;
  lattice::Storage storage = lattice::Storage::full;
  lattice::Collision collision = lattice::Collision::cumulant;
  lattice::Wall wall = lattice::Wall::bouzidi;
  std::optional<double> time_step;                        ///< s; none: make_scaling chooses
  std::optional<double> magic{};                          ///< none: see magic_of
  bool incompressible = false;                            ///< He and Luo's formulation
  std::optional<lattice::Advection> advection{};          ///< none: corrected if the lattice supports it
  double smagorinsky = 0;                                 ///< constant of the eddy viscosity; 0: no turbulence model
  double backflow = 1;                                    ///< at outlets with a pressure, see lattice::OpeningState
  double sponge = 0;                                      ///< m, its length at each opening
  bool sponge_is_chosen = false;                          ///< choose_lattice() sets it, before outlets only
  double sponge_viscosity = lattice::Sponge{}.viscosity;  ///< lattice units

  bool can_correct_advection() const {
    return lattice::can_correct_advection(velocities, collision) && storage == lattice::Storage::full;
  }
  lattice::Advection advection_in_force() const {
    return advection.value_or(can_correct_advection() ? lattice::Advection::corrected : lattice::Advection::plain);
  }
  bool operator==(const LatticeCase&) const = default;
};

/// Model of the circulation behind an outlet: a resistance parallel to a capacitor, and a proximal resistance in series
/// before both. With the flow Q out of the vessel, the pressures p at the outlet, P at the capacitor and D far behind:
/// dP/dt = Q / C - (P - D) / (R C), p = P + Rp Q.
struct WindkesselCase {
  double resistance = 0;   ///< R, Pa s/m^3
  double capacitance = 0;  ///< C, m^3/Pa; 0: no capacitor
  double proximal = 0;     ///< Rp, Pa s/m^3
  double initial = 0;      ///< initial P, Pa
  std::optional<double>
      middle{};          ///< middle of the pressure range in the periodic state, Pa; none if the case gives `initial`
  bool settles = false;  ///< the case gives no `initial`: settle_windkessels() computes it
  bool operator==(const WindkesselCase&) const = default;
};

/// An inlet or outlet and its boundary condition.
struct OpeningCase {
  enum class Rule : std::uint8_t {
    prescribed,   ///< its value over time
    windkessel,   ///< a pressure computed from the opening's own flow
    share,        ///< a fraction of the flow through the inlets
    compartment,  ///< the pressure of a 0-D compartment, whose volume changes by the opening's flow
  };
  geometry::Opening disc;  ///< metres; normal of unit length, into the fluid
  lattice::OpeningState::Kind kind = lattice::OpeningState::Kind::pressure;
  /// Pressure in Pa, or mean velocity over the lumen in m/s, positive into the vessel. Windkessel: the pressure far
  /// behind. Share: the fraction of the flow through all inlets that leaves here.
  Table value;
  Rule rule = Rule::prescribed;
  bool has_sign = false;                   ///< the case says which sign is into the vessel
  bool womersley = false;                  ///< Womersley profiles for the harmonics; else the profile of steady flow
  WindkesselCase windkessel{};             ///< compartment: only the proximal resistance and the initial pressure
  geometry::ExtensionOptions extension{};  ///< a tube that is added to the vessel here
  std::optional<geometry::Opening> disc_given{};  ///< if extended: the disc before the extension (make_vessel)
  double flow_area = 0;   ///< m^2; the case gives a flow: `value` is the flow over this area. 0: it gives no flow
  double lumen_area = 0;  ///< m^2, set by use_lumens; 0: not yet known
  bool tuned = false;     ///< a windkessel whose values Case::tune determines
  std::string compartment_name{};
  std::size_t compartment = 0;  ///< index in Case::circulation
  double expected_speed = 0;    ///< m/s, expected largest mean, at a compartment's opening (expect_flows)

  /// Area of the lumen, or of the disc while the lumen is unknown, m^2.
  double area() const { return lumen_area > 0 ? lumen_area : std::numbers::pi * disc.radius * disc.radius; }
  /// Radius of a circle of that area, m.
  double radius() const { return lumen_area > 0 ? std::sqrt(lumen_area / std::numbers::pi) : disc.radius; }
  bool is(Rule other) const { return rule == other; }
  bool operator==(const OpeningCase&) const = default;
};

/// The narrowest lumen between the openings, where the flow is faster than at any opening: see narrowest_lumen().
struct NarrowLumen {
  geometry::Vector place{};  ///< m
  double area = 0;           ///< m^2
  double share = 0;          ///< fraction of the prescribed inflow that passes there
  bool operator==(const NarrowLumen&) const = default;
};

/// An opening's boundary condition as text, for comparing cases: shortest numbers that read back bitwise identical.
std::string prescription_text(const OpeningCase& opening);

struct RunCase {
  std::optional<double> duration;  ///< s; exactly one of duration and steps is given
  std::optional<std::int64_t> steps;
  double ramp = 0;              ///< s, start ramp of the prescribed values; 0: none
  bool ramp_is_chosen = false;  ///< start_ramp() chooses it
  bool until_periodic = false;  ///< ends when two consecutive beats agree
  double tolerance = 0.01;      ///< relative, of two beats
  bool operator==(const RunCase&) const = default;
};

struct MonitorCase {
  std::int64_t every = 1;  ///< steps
  double tolerance = 0;    ///< stop when the velocity's relative change per step is below; 0: never
  bool incompressibility = true;
  bool stability = true;  ///< false: only numbers that are not finite end the run
  bool convergence = true, flow_rates = true, entropy = false;
  Monitors::Way way = Monitors::Way::rounds;
  bool operator==(const MonitorCase&) const = default;
};

/// The whole fields.
struct OutputCase : Every {
  std::filesystem::path directory{};  ///< relative to the working directory
  bool pictures = false;
  bool summary = true;  ///< write summary.html
  std::vector<FieldQuantity> quantities{FieldQuantity::pressure, FieldQuantity::velocity};
  bool operator==(const OutputCase&) const = default;
};

struct CheckpointCase : Every {
  bool operator==(const CheckpointCase&) const = default;
};

/// Picture files that the run renders.
struct PictureCase : Every {
  static constexpr std::int64_t least_steps = 4;  ///< between two pictures, until all ranks know of one

  insitu::Scene scene{};
  insitu::Pictures::Options making{};
  bool operator==(const PictureCase&) const = default;
};

/// A flow problem in SI units, as the user states it. Nothing here depends on the lattice's scaling or on ranks.
struct Case {
  std::filesystem::path file;
  std::string title;  ///< default: the file's stem
  SurfaceCase surface;
  FluidCase fluid;
  LatticeCase lattice;
  std::vector<OpeningCase> openings;    ///< inlets, then outlets, each in the file's order
  std::optional<NarrowLumen> narrow{};  ///< set by find_openings, if there is one
  std::vector<int> parts{};  ///< for each opening the number of its connected part of the fluid; empty: not yet known
  CirculationCase circulation;  ///< 0-D compartments behind openings; may be empty
  TuneCase tune;                ///< targets of the tuned windkessels
  RunCase run;
  MonitorCase monitor;
  OutputCase output;
  CheckpointCase checkpoint;
  PictureCase pictures;
  std::vector<ExtractCase> extracts;  ///< without the whole fields of `output`
  std::vector<SectionCase> sections;
  AverageCase average;

  std::vector<geometry::Opening> discs() const;
  /// Whether the viscosity does not depend on the shear rate.
  bool has_one_viscosity() const { return fluid.is_newtonian() && lattice.smagorinsky == 0; }
  bool operator==(const Case&) const = default;
};

/// The common period of all openings and elastances, s: the longest period, if it is a whole multiple of each other
/// one. Nothing otherwise, or if there is no period.
std::optional<double> common_period(const Case& c);

}  // namespace weft::flow
