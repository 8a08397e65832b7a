# SPDX-License-Identifier: BSD-3-Clause
find_package(CLI11 REQUIRED)
# Shared by all command lines. Not in weft_program, since CLI11's headers take seconds to compile and writing files does not need them.
add_library(weft_command_line STATIC command_line/command.cpp
  command_line/number_check.cpp command_line/run_options.cpp)
weft_compile(-O1 weft_command_line)
target_include_directories(weft_command_line PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(weft_command_line PUBLIC weft weft_program PRIVATE weft_build CLI11::CLI11)
