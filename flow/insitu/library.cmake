# SPDX-License-Identifier: BSD-3-Clause
# Pictures of a running flow: ray casting, compositing of the ray segments of all ranks, drawing.
find_package(fmt REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo)

add_library(weft_insitu STATIC
  insitu/bricks.cpp
  insitu/caster.cpp
  insitu/scene.cpp
  insitu/composite.cpp
  insitu/drawing.cpp
  insitu/streamlines.cpp
  insitu/pictures.cpp)
weft_compile(-O2 weft_insitu)
target_include_directories(weft_insitu PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(weft_insitu PUBLIC weft weft_geometry PRIVATE weft_build fmt::fmt PkgConfig::CAIRO)
