# SPDX-License-Identifier: BSD-3-Clause
add_library(weft_lattice
  lattice/sparse_lattice.cpp
  lattice/dense_lattice.cpp
  lattice/model.cpp
  lattice/detail/axis_velocities.cpp
  lattice/detail/dense_block.cpp
  lattice/detail/entropy.cpp
  lattice/detail/instruction_set.cpp
  lattice/detail/links.cpp
  lattice/detail/opening_sites.cpp
  lattice/detail/populations.cpp
  lattice/detail/rates.cpp
  lattice/detail/site_arrays.cpp
  lattice/detail/site_order.cpp
  lattice/detail/wall_links.cpp)
set_target_properties(weft_lattice PROPERTIES OPTIMISE -O3)
weft_library(lattice USES core geometry
  HEADERS lattice/dense_lattice.hpp lattice/model.hpp lattice/observation.hpp lattice/sparse_lattice.hpp
    lattice/velocity_sets.hpp
  DESCRIPTION "Lattice-Boltzmann models on sparse and dense lattices")
# No contraction to FMA: a site's result must not depend on whether the vectorised or the remainder loop computes it, nor on the
# instruction set.
target_compile_options(weft_lattice PRIVATE -ffp-contract=off)

# The hot loops, compiled once per instruction set; one is chosen at run time. They are optimised in every build type (otherwise tests
# would take minutes), and instrumented by the address sanitizer but not by the undefined-behaviour sanitizer, whose checks of the
# unrolled lines take minutes to compile.
function(weft_lattice_kernel file)
  set(more)
  if(WEFT_SANITIZE MATCHES "undefined")
    list(APPEND more -fno-sanitize=undefined)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # an unrolled loop with 16 registers: a third fewer of them are saved to the stack and back
    list(APPEND more -fschedule-insns -fsched-pressure -frename-registers)
  endif()
  target_sources(weft_lattice PRIVATE ${file})
  set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS
    "${ARGN};$<$<CONFIG:Debug>:-O2>;${more}")
endfunction()
weft_lattice_kernel(lattice/detail/row_generic.cpp)
weft_lattice_kernel(lattice/detail/entropy_generic.cpp)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  weft_lattice_kernel(lattice/detail/row_avx2.cpp -mavx2 -mfma -mf16c)
  weft_lattice_kernel(lattice/detail/entropy_avx2.cpp -mavx2 -mfma)
  weft_lattice_kernel(lattice/detail/row_avx512.cpp -mavx512f)
  weft_lattice_kernel(lattice/detail/entropy_avx512.cpp -mavx512f)
  target_compile_definitions(weft_lattice PRIVATE WEFT_LATTICE_X86)
elseif(CMAKE_SYSTEM_PROCESSOR STREQUAL "aarch64" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  foreach(bits 256 512)
    foreach(kernel row entropy)
      weft_lattice_kernel(lattice/detail/${kernel}_sve${bits}.cpp -march=armv8-a+sve -msve-vector-bits=${bits})
    endforeach()
  endforeach()
  target_compile_definitions(weft_lattice PRIVATE WEFT_LATTICE_ARM)
endif()
