# SPDX-License-Identifier: BSD-3-Clause
# Pictures of a running flow: ray casting, compositing of the ray segments of all ranks, drawing.
find_package(fmt REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo)

add_library(weft_insitu
  insitu/bricks.cpp
  insitu/caster.cpp
  insitu/scene.cpp
  insitu/composite.cpp
  insitu/drawing.cpp
  insitu/streamlines.cpp
  insitu/pictures.cpp)
weft_compile(-O2 weft_insitu)
weft_library(insitu USES core collective geometry
  HEADERS insitu/bricks.hpp insitu/caster.hpp insitu/cell.hpp insitu/composite.hpp insitu/drawing.hpp insitu/pictures.hpp
    insitu/scene.hpp insitu/streamlines.hpp
  FIND fmt
  MODULES "CAIRO cairo"
  PC_PRIVATE fmt
  DESCRIPTION "Pictures of a running simulation")
target_link_libraries(weft_insitu PRIVATE fmt::fmt PkgConfig::CAIRO)
