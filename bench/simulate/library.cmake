# SPDX-License-Identifier: BSD-3-Clause
find_package(CLI11 REQUIRED)
# smpirun loads it and calls its main once per rank. weft's libraries are static, since all ranks would share a shared library's data.
add_library(weft_simulated MODULE simulate/main.cpp bench/command/models.cpp
  ${PROJECT_SOURCE_DIR}/frame/command_line/number_check.cpp)
set_target_properties(weft_simulated PROPERTIES PREFIX "" OUTPUT_NAME weft-simulated SUFFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
# Only number_check of command_line: the rest of that library is not built for simulation.
target_include_directories(weft_simulated PRIVATE ${PROJECT_SOURCE_DIR}/frame)
target_link_libraries(weft_simulated PRIVATE weft_bench_core weft_build CLI11::CLI11)
