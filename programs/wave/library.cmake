# SPDX-License-Identifier: BSD-3-Clause
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
add_library(weft_wave STATIC
  wave/kernels.cpp
  wave/boundary.cpp
  wave/stepper.cpp
  wave/start.cpp
  wave/criterion.cpp
  wave/case.cpp
  wave/simulation.cpp
  wave/constraint.cpp
  wave/outputs.cpp
  wave/run.cpp)
weft_compile(-O3 weft_wave)
target_include_directories(weft_wave PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(weft_wave
  PUBLIC weft weft_amr weft_program
  PRIVATE weft_build fmt::fmt nlohmann_json::nlohmann_json)
# No contraction to FMA: a cell's result must not depend on whether the vectorised or the remainder loop computes it, nor on the
# instruction set.
target_compile_options(weft_wave PRIVATE -ffp-contract=off)
weft_command(wave SOURCES wave/command.cpp LIBRARIES weft_wave)
