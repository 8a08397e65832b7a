# SPDX-License-Identifier: BSD-3-Clause
find_package(fmt REQUIRED)
add_library(weft_amr STATIC
  amr/curve.cpp
  amr/tree.cpp
  amr/hierarchy.cpp
  amr/sibling_ghosts.cpp
  amr/traffic.cpp
  amr/transfer.cpp
  amr/coarse_to_fine.cpp
  amr/regrid.cpp
  amr/elliptic/from_parents.cpp
  amr/elliptic/poisson.cpp
  amr/files/amr_writer.cpp
  amr/files/checkpoint_file.cpp
  amr/files/checkpoint.cpp)
weft_compile(-O3 weft_amr)
target_include_directories(weft_amr PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(weft_amr PUBLIC weft weft_program PRIVATE weft_build fmt::fmt)
# No contraction to FMA: a cell's result must not depend on whether the vectorised or the remainder loop computes it, nor on the
# instruction set.
target_compile_options(weft_amr PRIVATE -ffp-contract=off)
