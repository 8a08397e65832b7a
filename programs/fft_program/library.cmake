# SPDX-License-Identifier: BSD-3-Clause
# The part of `weft fft` that reads and writes files.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
add_library(weft_fft_program STATIC fft_program/field_file.cpp fft_program/hdf5_field.cpp fft_program/spectrum.cpp fft_program/run.cpp)
weft_compile(-O2 weft_fft_program)
target_include_directories(weft_fft_program PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(weft_fft_program PUBLIC weft_fft weft_program PRIVATE weft_build fmt::fmt nlohmann_json::nlohmann_json)
weft_command(fft SOURCES fft_program/command.cpp LIBRARIES weft_fft_program)
