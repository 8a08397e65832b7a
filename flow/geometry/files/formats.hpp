// SPDX-License-Identifier: BSD-3-Clause
//
// The formats of surfaces, one file per format: a test whether content has the format, and a reader of its triangles in
// the file's units.
#pragma once

#include <string_view>

#include "geometry/files/surface_builder.hpp"
#include "geometry/files/surface_file.hpp"

namespace weft::geometry::files {

/// The refusal of ParaView's lists of files (.pvd, .series).
inline constexpr const char* series_of_surfaces =
    "This is a list of surfaces, such as the frames of a moving wall (weft computes in a vessel whose wall stands "
    "still). Give one of the files in it.";

bool is_stl(std::string_view content);
bool is_vtp(std::string_view content);
bool is_ply(std::string_view content);
/// OBJ has no magic number: its first line that is not a comment begins with one of its keywords.
bool is_obj(std::string_view content);

/// Throw InputError with the file and the line or byte.
void read_stl(const SurfaceFile& file, SurfaceBuilder& builder);
void read_vtp(const SurfaceFile& file, SurfaceBuilder& builder);
void read_ply(const SurfaceFile& file, SurfaceBuilder& builder);
void read_obj(const SurfaceFile& file, SurfaceBuilder& builder);

}  // namespace weft::geometry::files
