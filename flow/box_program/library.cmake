# SPDX-License-Identifier: BSD-3-Clause
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)

add_library(weft_box_program STATIC
  box_program/case.cpp
  box_program/checkpoint.cpp
  box_program/place_particles.cpp
  box_program/solid_map.cpp
  box_program/particles.cpp
  box_program/lattice_client.cpp
  box_program/monitor.cpp
  box_program/run.cpp
  box_program/image_writer.cpp
  box_program/check.cpp)
weft_compile(-O3 weft_box_program)
target_include_directories(weft_box_program PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(weft_box_program
  PUBLIC weft weft_lattice weft_program
  PRIVATE weft_build fmt::fmt nlohmann_json::nlohmann_json)
weft_command(box SOURCES box_program/command.cpp box_program/main.cpp LIBRARIES weft_box_program)
