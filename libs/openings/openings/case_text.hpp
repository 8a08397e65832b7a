// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "openings/find_openings.hpp"
#include "openings/roles.hpp"

namespace weft::openings {

/// What a proposed case should be like. SI units.
struct CaseChoices {
  enum class Outlets : std::uint8_t { murray, pressure, windkessel };
  std::string title, surface_file;  ///< the file as the case names it
  std::string unit = "mm";          ///< as the case says it
  double metres_per_unit = 1e-3;
  std::size_t inlet = 0;         ///< the main one; index into VesselAnalysis::openings
  std::vector<Role> roles = {};  ///< of each opening (roles_of); empty: all but the inlet are outlets
  std::vector<std::string> conditions =
      {};  ///< lines of TOML that an opening has instead of what is proposed; empty: none
  Outlets outlets = Outlets::murray;
  double cells = 14;                 ///< voxels across the narrowest lumen
  std::optional<double> voxel = {};  ///< metres, instead of `cells`
  std::optional<double> flow = {};   ///< mean, m^3/s
  bool pulse = false;
  double beats = 3;
};

/// A heartbeat's flow over its mean, at equal distances over the beat, the last as the first; `peak` is its largest.
std::vector<double> heartbeat(double peak);
/// The peak that a heartbeat has in an inlet of this radius, m.
double peak_of_inlet(double radius);

/// What the case is made of, for the report.
struct CaseFigures {
  double voxel = 0;      ///< m
  double sites = 0;      ///< about
  double flow = 0;       ///< mean, m^3/s
  double velocity = 0;   ///< mean over the inlet, m/s
  double reynolds = 0;   ///< of the mean flow, in the inlet
  double duration = 0;   ///< s
  double period = 0.85;  ///< s
};

CaseFigures figures_of(const VesselAnalysis& vessel, const CaseChoices& choices);

/// A case of weft flow, each line told: it runs as it is. The inlet is named "inlet", the others "outlet" and their
/// number. Of several vessels side by side each has an inlet, and of its outlets one with a pressure.
std::string case_text(const VesselAnalysis& vessel, const CaseChoices& choices);

}  // namespace weft::openings
