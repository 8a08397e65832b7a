# SPDX-License-Identifier: BSD-3-Clause
find_package(fmt REQUIRED)
add_library(weft_amr
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
weft_library(amr USES core program
  HEADERS amr/block.hpp amr/coarse_to_fine.hpp amr/curve.hpp amr/elliptic/from_parents.hpp amr/elliptic/poisson.hpp
    amr/files/amr_writer.hpp amr/files/checkpoint.hpp amr/hierarchy.hpp amr/regrid.hpp amr/sibling_ghosts.hpp amr/traffic.hpp
    amr/transfer.hpp amr/tree.hpp
  FIND fmt
  PC_PRIVATE fmt
  DESCRIPTION "Meshes of blocks that are refined while a simulation runs")
target_link_libraries(weft_amr PRIVATE fmt::fmt)
# No contraction to FMA: a cell's result must not depend on whether the vectorised or the remainder loop computes it, nor on the
# instruction set.
target_compile_options(weft_amr PRIVATE -ffp-contract=off)
