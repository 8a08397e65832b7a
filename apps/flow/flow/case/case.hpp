// SPDX-License-Identifier: BSD-3-Clause
//
// What a case file says. docs/flow.md describes the format for users.
#pragma once

#include <cmath>
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
#include "flow/case/tune_case.hpp"
#include "geometry/domain.hpp"
#include "geometry/extend_opening.hpp"
#include "insitu/pictures.hpp"
#include "lattice/sparse_lattice.hpp"
#include "weft/collective/monitors.hpp"

namespace weft::flow {

struct SurfaceCase {
  std::filesystem::path file;  ///< as the program can open it: relative paths are joined to the case file's folder
  double metres_per_unit = 1;  ///< length of one unit of the file
  double voxel = 0;            ///< m
  /// Where a site lies, m: of a .gmy file (0, 0, 0); of a surface any one, none: half a voxel from the surface's box.
  std::optional<geometry::Vector> origin;

  /// A vessel that HemeLB's tools have voxelised, not a surface.
  bool is_gmy() const { return file.extension() == ".gmy"; }
  /// For people: "mm"; "(1, 2.5, 3) mm" of metres.
  std::string unit_name() const;
  std::string place_text(const geometry::Vector& p) const;
};

struct LatticeCase {
  lattice::VelocitySet velocities = lattice::VelocitySet::d3q19;
  bool velocities_are_chosen = false;  ///< by choose_velocities(), which needs the lumens
  lattice::Precision precision = lattice::Precision::fp64;
  lattice::Collision collision = lattice::Collision::cumulant;
  lattice::Wall wall = lattice::Wall::bouzidi;
  std::optional<double> time_step;                        ///< s; none: make_scaling chooses
  std::optional<double> magic{};                          ///< none: chosen, see magic_of
  bool incompressible = false;                            ///< He and Luo's formulation
  std::optional<lattice::Advection> advection{};          ///< none: corrected where the lattice can
  double smagorinsky = 0;                                 ///< constant of the eddy viscosity; 0: no model of turbulence
  double backflow = 1;                                    ///< of outlets with a pressure, see lattice::OpeningState
  double sponge = 0;                                      ///< m, length before each opening
  double sponge_viscosity = lattice::Sponge{}.viscosity;  ///< lattice units

  bool can_correct_advection() const { return lattice::can_correct_advection(velocities, collision); }
  lattice::Advection advection_in_force() const {
    return advection.value_or(can_correct_advection() ? lattice::Advection::corrected : lattice::Advection::plain);
  }
};

/// What lies behind an outlet: a resistance beside a capacitor, and a proximal resistance before both. Flow Q out of
/// the vessel, pressure p at the outlet, P at the capacitor, D far behind: dP/dt = Q / C - (P - D) / (R C), p = P + Rp
/// Q.
struct WindkesselCase {
  double resistance = 0;   ///< R, Pa s/m^3
  double capacitance = 0;  ///< C, m^3/Pa; 0: a pure resistance
  double proximal = 0;     ///< Rp, Pa s/m^3
  double initial = 0;      ///< P at first, Pa
  std::optional<double>
      middle{};          ///< of the beat that they settle to, Pa; not known of one that begins where the case says
  bool settles = false;  ///< the case does not tell it: what pulses come to, see settle_windkessels
};

/// An inlet or outlet and what it prescribes.
struct OpeningCase {
  enum class Rule : std::uint8_t {
    prescribed,   ///< its value over time
    windkessel,   ///< a pressure that follows from its own flow
    share,        ///< a velocity that follows from the flow through the inlets
    compartment,  ///< the pressure of a compartment of the circulation, which takes or gives what flows
  };
  geometry::Opening disc;  ///< metres; normal of unit length, into the fluid
  lattice::OpeningState::Kind kind = lattice::OpeningState::Kind::pressure;
  /// Pressure in Pa, or mean velocity over the lumen in m/s, positive into the vessel. Windkessel: the pressure far
  /// behind. Share: how much of what enters through all inlets leaves here.
  Table value;
  Rule rule = Rule::prescribed;
  bool womersley = false;  ///< a velocity that repeats, each harmonic with its own profile; else that of steady flow
  WindkesselCase windkessel{};             ///< of a compartment's opening: the proximal resistance and where it begins
  geometry::ExtensionOptions extension{};  ///< a tube that is put before it
  std::optional<geometry::Opening> disc_given{};  ///< where it was extended: the disc as it was before (make_vessel)
  double flow_area = 0;   ///< m^2; a flow was given: the value is that over this area. 0: none was
  double lumen_area = 0;  ///< m^2, once the vessel is known (use_lumens); 0: not yet
  bool tuned = false;     ///< a windkessel that Case::tune decides
  std::string compartment_name{};
  std::size_t compartment = 0;  ///< of Case::circulation
  double expected_speed = 0;  ///< m/s, the fastest mean over the disc, where a circulation decides; see expect_flows()

  /// Of the lumen, or of the disc while the lumen is not known, m^2.
  double area() const { return lumen_area > 0 ? lumen_area : std::numbers::pi * disc.radius * disc.radius; }
  /// Of the circle of that area, m.
  double radius() const { return lumen_area > 0 ? std::sqrt(lumen_area / std::numbers::pi) : disc.radius; }
  bool is(Rule other) const { return rule == other; }
};

/// A place inside of the vessel that is narrower than its openings: see narrowest_lumen().
struct NarrowLumen {
  geometry::Vector place{};  ///< m
  double area = 0;           ///< m^2
  double share = 0;          ///< of what the inlets prescribe, that passes there
};

/// What an opening prescribes, for people to compare: in the shortest texts that give the same bits back.
std::string prescription_text(const OpeningCase& opening);

struct RunCase {
  std::optional<double> duration;  ///< s; exactly one of the two is given
  std::optional<std::int64_t> steps;
  double ramp = 0;              ///< s, in which what openings prescribe comes up from rest; 0: at once
  bool ramp_is_chosen = false;  ///< by start_ramp(), which needs a time step
  bool until_periodic = false;  ///< ends when two beats agree
  double tolerance = 0.01;      ///< within this
};

struct MonitorCase {
  std::int64_t every = 1;  ///< steps
  double tolerance = 0;    ///< stop when the velocity's relative change per step is below; 0: never
  bool incompressibility = true, stability = true, convergence = true, flow_rates = true, entropy = false;
  Monitors::Way way = Monitors::Way::rounds;
};

/// The whole fields.
struct OutputCase : Every {
  std::filesystem::path directory{};  ///< relative to the working directory
  bool pictures = false;
  bool summary = true;  ///< the run on one page
  std::vector<FieldQuantity> quantities{FieldQuantity::pressure, FieldQuantity::velocity};
};

struct CheckpointCase : Every {};

/// Pictures that the run itself makes, as files.
struct PictureCase : Every {
  static constexpr std::int64_t least_steps = 4;  ///< from one to the next: it takes as many until all ranks know of it

  insitu::Scene scene{};
  insitu::Pictures::Options making{};
};

/// A flow problem in SI units, as a person states it. Nothing here depends on the lattice's scaling or on ranks.
struct Case {
  std::filesystem::path file;
  std::string title;  ///< default: the file's stem
  SurfaceCase surface;
  FluidCase fluid;
  LatticeCase lattice;
  std::vector<OpeningCase> openings;    ///< inlets, then outlets, each in the file's order
  std::optional<NarrowLumen> narrow{};  ///< once the vessel is known (find_openings), if there is one
  std::vector<int> parts{};             ///< of each opening its connected part of the fluid, once the vessel is known
  CirculationCase circulation;          ///< what compartments behind openings do; may be empty
  TuneCase tune;                        ///< what tuned windkessels are to bring about
  RunCase run;
  MonitorCase monitor;
  OutputCase output;
  CheckpointCase checkpoint;
  PictureCase pictures;
  std::vector<ExtractCase> extracts;  ///< but for the whole fields of `output`
  std::vector<SectionCase> sections;
  AverageCase average;

  std::vector<geometry::Opening> discs() const;
  /// Not one that follows from how fast the fluid is sheared.
  bool has_one_viscosity() const { return fluid.is_newtonian() && lattice.smagorinsky == 0; }
};

}  // namespace weft::flow
