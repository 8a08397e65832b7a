// SPDX-License-Identifier: BSD-3-Clause
//
// The library hemelb: reads what HemeLB's users have: its cases (XML, versions 3 to 5) and its geometry files (.gmy),
// block by block on all ranks. What a case asks for that weft does not have is refused by name, never left out
// silently. It writes a case of weft flow, and gives geometry the sites of a .gmy file. Who links it: weft flow and
// weft import.
#pragma once

#include <filesystem>
#include <string>

#include "hemelb/case.hpp"

namespace weft::hemelb {

/// The surface that a weft case is given.
struct ImportSurface {
  std::filesystem::path file;  ///< as the case shall name it: relative to the case
  bool is_gmy = true;          ///< else an STL
  std::string unit = "m";      ///< "m", "cm", "mm", "um", or metres as a number
  double metres_per_unit = 1;
};

/// Throws InputError that names each element that is not carried over, unless it is harmless (`weft import --strict`).
void refuse_loss(const HemelbCase& c);

/// The radius of each opening that has none from what the .gmy cuts there. Not collective. Throws InputError if an
/// opening of the file has no cut.
void fill_in_radii(HemelbCase& c);
/// The same from an STL, half a voxel inside of the opening, without the .gmy. Not collective. Throws InputError.
void fill_in_radii(HemelbCase& c, const std::filesystem::path& stl, double metres_per_unit);

/// A weft case (TOML) with comments, what is not carried over at its end.
std::string case_text(const HemelbCase& c, const ImportSurface& surface);

}  // namespace weft::hemelb
