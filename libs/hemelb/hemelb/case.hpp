// SPDX-License-Identifier: BSD-3-Clause
//
// A case of HemeLB, as its XML (versions 3 to 5) states it, in SI units.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "geometry/domain.hpp"

namespace weft::hemelb {

/// Constants of HemeLB's that its XML does not have.
constexpr double blood_density = 1000;    ///< kg/m^3
constexpr double blood_viscosity = 4e-3;  ///< Pa s
constexpr double pascals_a_mmhg = 133.3223874;

/// What weft can't take over.
struct NotCarried {
  std::string key;  ///< the element, with its line
  std::string why;
  bool replaced = false;     ///< a condition that another one stands in for: the flow is another one
  bool is_harmless = false;  ///< neither the flow nor what is written of it is another one: --strict passes over it
};

/// A pressure or mean velocity of mean + amplitude cos(2 pi t / period + phase): Pa or m/s, s, radians.
struct PrescribedCosine {
  double mean = 0, amplitude = 0, period = 1, phase = 0;
};

/// What lies behind an outlet: Pa s/m^3, m^3/Pa, Pa.
struct PrescribedWindkessel {
  double resistance = 0, capacitance = 0, proximal = 0, initial = 0;
};

/// What an opening prescribes, in weft's terms. With a cosine or a windkessel there are no points.
struct Prescribed {
  bool pressure = true;                         ///< else the mean velocity over the disc, into the vessel
  std::vector<std::array<double, 2>> points{};  ///< s, and Pa or m/s; one: a constant
  double period = 0;                            ///< s; 0: not repeated
  std::optional<PrescribedCosine> cosine{};
  std::optional<PrescribedWindkessel> windkessel{};
  bool womersley = false;  ///< the cosine's profile is that of a long tube, not a parabola
  std::string from{};      ///< what HemeLB has, for a comment
};

struct HemelbOpening {
  geometry::Opening disc;  ///< m; its radius is 0 where the XML has none
  Prescribed value;
};

/// A part of the vessel that is written, in weft's terms: shape and quantities as a case names them.
struct HemelbExtract {
  std::string name, shape;
  geometry::Vector at{}, to{}, normal{};    ///< m; as the shape needs them
  double radius = 0;                        ///< m, of a plane or around a point of the surface; 0: none
  std::optional<std::size_t> of_opening{};  ///< a plane as wide as this opening is
  std::int64_t every = 0;                   ///< steps
  std::vector<std::string> quantities{};
};

struct HemelbCase {
  std::filesystem::path file, gmy;
  std::vector<std::filesystem::path> read{};  ///< all files that the case consists of, these two among them
  std::int64_t version = 0, steps = 0;
  double time_step = 0, voxel = 0;                                 ///< s, m
  geometry::Vector first_site{};                                   ///< of site (0, 0, 0), m
  std::vector<HemelbOpening> openings{};                           ///< inlets, then outlets
  std::optional<std::int64_t> output_every{}, checkpoint_every{};  ///< steps
  std::vector<std::string> output_quantities{};
  std::vector<HemelbExtract> extracts{};
  std::int64_t warm_up_steps = 0;  ///< of `steps`, the first, in which what openings prescribe rises
  double initial_pressure = 0;     ///< Pa, of the fluid at first
  std::vector<NotCarried> not_carried{};
  std::vector<NotCarried> assumed{};  ///< what the XML does not say, or has no bearing on the flow, and what is taken
  std::vector<std::string>
      warnings{};  ///< with file and line: what is wrong with the XML itself, though it could be read

  std::vector<geometry::Opening> discs() const;
};

/// Reads a case. Not collective. Throws InputError: file, line, element, what is wrong and what is allowed.
HemelbCase read_case(const std::filesystem::path& file);

}  // namespace weft::hemelb
