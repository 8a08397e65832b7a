// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "phantom/made_vessel.hpp"

namespace weft::robustness {

/// Options of a synthetic vessel's case.
struct VesselCaseOptions {
  double beats = 4;
  double coarsen = 1;  ///< factor of the voxel
};

/// The inflow of a beat: rows of time (s) and flow (m^3/s); the last is one period after the first, with the same flow.
/// Mean and highest value correspond to the vessel's Reynolds numbers.
std::vector<std::array<double, 2>> inflow_of(const phantom::MadeVessel& vessel);

/// The case file (TOML) of a vessel with vessel.stl (mm) and inflow.csv in the same folder: windkessels with 93 mmHg at
/// the mean flow, which is split by Murray's law; all else is weft flow's default.
std::string case_text(const phantom::MadeVessel& vessel, const VesselCaseOptions& options);

/// Writes vessel.stl, inflow.csv and case.toml into a folder, which is created if necessary. Returns the path of the
/// case. Throws an InputError if it can't be written.
std::filesystem::path write_vessel(const phantom::MadeVessel& vessel, const std::filesystem::path& folder,
                                   const VesselCaseOptions& options);

/// Writes a text; the file appears only when it is complete. Throws InputError.
void write_text(const std::filesystem::path& file, const std::string& text);

}  // namespace weft::robustness
