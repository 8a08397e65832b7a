# SPDX-License-Identifier: BSD-3-Clause
find_package(fmt REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(ZLIB REQUIRED)
find_package(nlohmann_json REQUIRED)
pkg_check_modules(TOMLPLUSPLUS REQUIRED IMPORTED_TARGET GLOBAL tomlplusplus)
# Serial HDF5 is enough, since MPI-IO writes the values. A parallel HDF5 works, too, if it is built with the same MPI library.
pkg_search_module(HDF5 REQUIRED IMPORTED_TARGET GLOBAL hdf5-serial hdf5-${WEFT_MPI} hdf5)

add_library(weft_program STATIC
  program/await_root.cpp
  program/bytes.cpp
  program/checkpoints.cpp
  program/quantity.cpp
  program/readable.cpp
  program/json_reader.cpp
  program/toml_reader.cpp
  program/section_reader.cpp
  program/value.cpp
  program/overrides.cpp
  program/folder_lock.cpp
  program/hdf5_handle.cpp
  program/hdf5_layout.cpp
  program/hdf5_rows.cpp
  program/same_file.cpp
  program/shared_file.cpp
  program/memory.cpp
  program/scratch_folder.cpp
  program/field_series.cpp
  program/rows.cpp
  program/run_frame.cpp
  program/series.cpp
  program/progress_bar.cpp
  program/pictures.cpp)
weft_compile(-O1 weft_program)
target_include_directories(weft_program PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(weft_program PUBLIC weft PkgConfig::HDF5 PRIVATE weft_build fmt::fmt ZLIB::ZLIB nlohmann_json::nlohmann_json)
if(NOT WEFT_FUZZ)  # with WEFT_FUZZ toml++ is header-only, so that libFuzzer sees its branches
  target_link_libraries(weft_program PRIVATE PkgConfig::TOMLPLUSPLUS)
endif()
