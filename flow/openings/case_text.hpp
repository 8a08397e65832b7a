// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "openings/find_openings.hpp"

namespace weft::openings {

/// Options of a proposed case. SI units.
struct CaseChoices {
  enum class Outlets : std::uint8_t { murray, pressure, windkessel };
  std::string title, surface_file;  ///< the file as named in the case
  std::string unit = "mm";          ///< as in the case
  double metres_per_unit = 1e-3;
  std::size_t inlet = 0;         ///< the main inlet; index into VesselAnalysis::openings
  std::vector<Role> roles = {};  ///< of each opening (roles_of); empty: all except the inlet are outlets
  std::vector<std::string> conditions =
      {};  ///< per opening: lines of TOML that replace the proposed condition; empty: none
  Outlets outlets = Outlets::murray;
  double cells = 14;                 ///< voxels across the narrowest lumen
  std::optional<double> voxel = {};  ///< metres, instead of `cells`
  std::optional<double> flow = {};   ///< mean, m^3/s
  bool pulse = false;
  double beats = 3;
};

/// The flow of a heartbeat relative to its mean, at equal intervals over the beat, the last equal to the first; `peak`
/// is the largest value.
std::vector<double> heartbeat(double peak);
/// The peak of a heartbeat in an inlet of this radius (m).
double peak_of_inlet(double radius);

/// Figures of the case, for the report.
struct CaseFigures {
  double voxel = 0;      ///< m
  double sites = 0;      ///< approximate number
  double flow = 0;       ///< mean, m^3/s
  double velocity = 0;   ///< mean over the inlet, m/s
  double reynolds = 0;   ///< of the mean flow, in the inlet
  double duration = 0;   ///< s
  double period = 0.85;  ///< s
};

CaseFigures figures_of(const VesselAnalysis& vessel, const CaseChoices& choices);

/// A case of weft flow, with comments, that runs as it is. The inlet is named "inlet", the others "outlet" and their
/// number. Of several separate vessels each has an inlet, and one of its outlets has a pressure.
std::string case_text(const VesselAnalysis& vessel, const CaseChoices& choices);

}  // namespace weft::openings
