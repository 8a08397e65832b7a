# SPDX-License-Identifier: BSD-3-Clause
# Reads a surface from a file, and makes each rank's part of the lattice. Embree intersects triangles, METIS partitions the blocks, pugixml
# and zlib read VTK files.
find_package(embree 3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(pugixml REQUIRED)
find_package(METIS REQUIRED)

add_library(weft_geometry
  geometry/read_surface.cpp
  geometry/units.cpp
  geometry/files/surface_file.cpp
  geometry/files/surface_builder.cpp
  geometry/files/stl.cpp
  geometry/files/obj.cpp
  geometry/files/ply.cpp
  geometry/files/vtp.cpp
  geometry/files/vtp_array.cpp
  geometry/close_surface.cpp
  geometry/repair.cpp
  geometry/outside.cpp
  geometry/section.cpp
  geometry/lumen.cpp
  geometry/boundary.cpp
  geometry/centreline.cpp
  geometry/detail/inside_grid.cpp
  geometry/extend_opening.cpp
  geometry/detail/extrusion.cpp
  geometry/make_domain.cpp
  geometry/detail/crossing.cpp
  geometry/detail/triangle_index.cpp
  geometry/detail/block_links.cpp
  geometry/detail/share.cpp
  geometry/detail/components.cpp
  geometry/detail/block_graph.cpp
  geometry/detail/decompose.cpp
  geometry/given_sites.cpp)
weft_compile(-O2 weft_geometry)
weft_library(geometry USES core
  HEADERS geometry/boundary.hpp geometry/centreline.hpp geometry/domain.hpp geometry/extend_opening.hpp geometry/given_sites.hpp
    geometry/outside.hpp geometry/read_surface.hpp geometry/repair.hpp geometry/section.hpp geometry/surface.hpp
    geometry/units.hpp geometry/vector.hpp geometry/voxelise.hpp
  FIND "embree 3" METIS ZLIB pugixml
  PC_PRIVATE -lembree3 -lmetis zlib pugixml
  DESCRIPTION "Surfaces, and each rank's part of the lattice in them")
target_link_libraries(weft_geometry PRIVATE embree METIS::METIS ZLIB::ZLIB pugixml::pugixml)
