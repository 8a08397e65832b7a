# SPDX-License-Identifier: BSD-3-Clause
# Reads a surface from a file, and makes each rank's part of the lattice. Embree intersects triangles, METIS partitions the blocks, pugixml
# and zlib read VTK files.
find_package(embree 3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(pugixml REQUIRED)
find_path(METIS_INCLUDE_DIR metis.h REQUIRED)
find_library(METIS_LIBRARY metis REQUIRED)

add_library(weft_geometry STATIC
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
target_include_directories(weft_geometry PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_include_directories(weft_geometry SYSTEM PRIVATE ${METIS_INCLUDE_DIR})
target_link_libraries(weft_geometry PUBLIC weft PRIVATE weft_build embree ${METIS_LIBRARY} ZLIB::ZLIB pugixml::pugixml)
