// SPDX-License-Identifier: BSD-3-Clause
//
// The library hemelb: reads HemeLB's cases (XML, versions 3 to 5) and its geometry files (.gmy), block by block on all
// ranks. It reports by name every element of a case that weft can't convert. It writes a case of weft flow, and
// supplies the sites of a .gmy file to geometry. Used by weft flow and weft import.
#pragma once

#include <filesystem>
#include <string>

#include "geometry/surface.hpp"
#include "hemelb/case.hpp"

namespace weft::hemelb {

/// The surface of the weft case.
struct ImportSurface {
  std::filesystem::path file;  ///< as in the case: relative to the case
  bool is_gmy = true;          ///< else an STL
  std::string unit = "m";      ///< "m", "cm", "mm", "um", or metres as a number
  double metres_per_unit = 1;
};

/// Throws InputError that names each element that can't be converted, unless it is harmless (`weft import --strict`).
void refuse_loss(const HemelbCase& c);

/// Sets the radius of each opening without one, from the links that the .gmy cuts there. Not collective. Throws
/// InputError if an opening has no cut in the file.
void fill_in_radii(HemelbCase& c);
/// The same from a surface file, half a voxel inside of the opening, without the .gmy. Not collective. Throws
/// InputError.
void fill_in_radii(HemelbCase& c, const std::filesystem::path& stl, double metres_per_unit);

/// A weft case (TOML) with comments, and a list of the elements that were not converted at its end.
std::string case_text(const HemelbCase& c, const ImportSurface& surface);

/// The largest distance from `centre` to the lumen's wall in the plane through it, m: of the (closed or open) curves in
/// which the plane cuts the surface, the nearest one to the centre counts. 0 if the plane cuts nothing. The surface may
/// have holes. Not collective.
double lumen_reach(const geometry::Surface& surface, const geometry::Vector& centre, const geometry::Vector& normal);

}  // namespace weft::hemelb
