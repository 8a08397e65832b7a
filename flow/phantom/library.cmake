# SPDX-License-Identifier: BSD-3-Clause
# Generates artificial vessels for benchmarks and tests.
add_library(weft_phantom STATIC
  phantom/tube_tree.cpp phantom/mesh_tubes.cpp phantom/tree_builder.cpp phantom/named_vessels.cpp phantom/random_vessel.cpp phantom/chamber.cpp)
weft_compile(-O1 weft_phantom)
target_include_directories(weft_phantom PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(weft_phantom PUBLIC weft_geometry PRIVATE weft_build)
