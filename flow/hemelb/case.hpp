// SPDX-License-Identifier: BSD-3-Clause
//
// A HemeLB case, as stated in its XML (versions 3 to 5), in SI units.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "geometry/domain.hpp"

namespace weft::hemelb {

/// Constants of HemeLB that its XML does not contain.
constexpr double blood_density = 1000;    ///< kg/m^3
constexpr double blood_viscosity = 4e-3;  ///< Pa s
constexpr double pascals_a_mmhg = 133.3223874;

/// An element that weft can't convert.
struct NotCarried {
  std::string key;  ///< the element, with its line
  std::string why;
  bool replaced = false;     ///< a condition that was replaced by another: the flow differs
  bool is_harmless = false;  ///< it affects neither the flow nor its output: --strict ignores it
};

/// A pressure or mean velocity of mean + amplitude cos(2 pi t / period + phase): Pa or m/s, s, radians.
struct PrescribedCosine {
  double mean = 0, amplitude = 0, period = 1, phase = 0;
};

/// A windkessel at an outlet: Pa s/m^3, m^3/Pa, Pa.
struct PrescribedWindkessel {
  double resistance = 0, capacitance = 0, proximal = 0, initial = 0;
};

/// The condition of an opening, in weft's terms. With a cosine or a windkessel there are no points.
struct Prescribed {
  bool pressure = true;                         ///< else the mean velocity over the disc, into the vessel
  std::vector<std::array<double, 2>> points{};  ///< s, and Pa or m/s; a single point is a constant
  double period = 0;                            ///< s; 0: not periodic
  std::optional<PrescribedCosine> cosine{};
  std::optional<PrescribedWindkessel> windkessel{};
  bool womersley = false;  ///< the cosine's profile is that of a long tube, not a parabola
  std::string from{};      ///< HemeLB's condition, for a comment
};

struct HemelbOpening {
  geometry::Opening disc;  ///< m; the radius is 0 if the XML has none
  Prescribed value;
};

/// An output of a part of the vessel, in weft's terms: shape and quantities are named as in a case.
struct HemelbExtract {
  std::string name, shape;
  geometry::Vector at{}, to{}, normal{};    ///< m; as far as the shape needs them
  double radius = 0;                        ///< m, of a plane or around a point of the surface; 0: none
  std::optional<std::size_t> of_opening{};  ///< index of an opening whose width the plane has
  std::int64_t every = 0;                   ///< steps
  std::vector<std::string> quantities{};
};

struct HemelbCase {
  std::filesystem::path file, gmy;
  std::vector<std::filesystem::path> read{};  ///< all files of the case, including these two
  std::int64_t version = 0, steps = 0;
  double time_step = 0, voxel = 0;                                 ///< s, m
  geometry::Vector first_site{};                                   ///< of site (0, 0, 0), m
  std::vector<HemelbOpening> openings{};                           ///< inlets, then outlets
  std::optional<std::int64_t> output_every{}, checkpoint_every{};  ///< steps
  std::vector<std::string> output_quantities{};
  std::vector<HemelbExtract> extracts{};
  std::int64_t warm_up_steps = 0;  ///< the first of `steps`, in which the conditions of the openings rise
  double initial_pressure = 0;     ///< Pa, initial pressure of the fluid
  std::vector<NotCarried> not_carried{};
  /// assumptions for data that the XML lacks, and elements without effect on the flow
  std::vector<NotCarried> assumed{};
  std::vector<std::string> warnings{};  ///< with file and line: errors of the XML that could be repaired

  std::vector<geometry::Opening> discs() const;
};

/// Reads a case. Not collective. Throws InputError with file, line, element, reason and allowed values.
HemelbCase read_case(const std::filesystem::path& file);

}  // namespace weft::hemelb
