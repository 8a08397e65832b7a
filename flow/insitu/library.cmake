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

# The loop over rays, compiled once per instruction set and instrumented like the lattice's kernels (lattice/library.cmake). No
# contraction to FMA: all sets compute the same bits. 512 bits are not faster: a brick's rows are too short.
function(weft_insitu_kernel file)
  set(without)
  if(WEFT_SANITIZE MATCHES "undefined")
    set(without -fno-sanitize=undefined)
  endif()
  target_sources(weft_insitu PRIVATE ${file})
  set_source_files_properties(${file} PROPERTIES SKIP_PRECOMPILE_HEADERS ON
    COMPILE_OPTIONS "-O3;-ffp-contract=off;-fno-math-errno;${without};${ARGN}")
endfunction()
weft_insitu_kernel(insitu/detail/cast_generic.cpp)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  weft_insitu_kernel(insitu/detail/cast_avx2.cpp -mavx2)
  target_compile_definitions(weft_insitu PRIVATE WEFT_INSITU_X86)
endif()
