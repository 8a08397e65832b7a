// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "phantom/made_vessel.hpp"

namespace weft::bench {

/// What a made vessel's case asks for.
struct VesselCaseOptions {
  double beats = 4;
  double coarsen = 1;  ///< the voxel's factor
};

/// A beat's inflow, m^3/s: rows of time (s) and flow, the last a period after the first and the same. Its mean and its
/// highest value are those of the vessel's Reynolds numbers.
std::vector<std::array<double, 2>> inflow_of(const phantom::MadeVessel& vessel);

/// The case file (TOML) of a vessel whose surface and inflow lie beside it, as vessel.stl (mm) and inflow.csv:
/// windkessels that come to 93 mmHg at the mean flow, which divides by Murray's law; all else is weft flow's default.
std::string case_text(const phantom::MadeVessel& vessel, const VesselCaseOptions& options);

/// Writes vessel.stl, inflow.csv and case.toml into a folder, which is made if need be. Returns the case's path. Throws
/// InputError if it can't be written.
std::filesystem::path write_vessel(const phantom::MadeVessel& vessel, const std::filesystem::path& folder,
                                   const VesselCaseOptions& options);

}  // namespace weft::bench
