# SPDX-License-Identifier: BSD-3-Clause
find_package(fmt REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(ZLIB REQUIRED)
find_package(nlohmann_json REQUIRED)
pkg_check_modules(TOMLPLUSPLUS REQUIRED IMPORTED_TARGET GLOBAL tomlplusplus)
# Serial HDF5 is enough, since MPI-IO writes the values. A parallel HDF5 works, too, if it is built with the same MPI library.
pkg_search_module(HDF5 REQUIRED IMPORTED_TARGET GLOBAL hdf5-serial hdf5-${WEFT_MPI} hdf5)

add_library(weft_program
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
weft_library(program USES core tune
  HEADERS program/await_root.hpp program/bytes.hpp program/checkpoints.hpp program/field_series.hpp program/folder_lock.hpp
    program/hdf5_handle.hpp program/hdf5_layout.hpp program/hdf5_rows.hpp program/header_fields.hpp program/json_reader.hpp
    program/memory.hpp program/overrides.hpp program/progress_bar.hpp program/quantity.hpp program/readable.hpp program/rows.hpp
    program/run_frame.hpp program/run_settings.hpp program/same_file.hpp program/scratch_folder.hpp program/section_reader.hpp
    program/series.hpp program/shared_file.hpp program/stepped.hpp program/toml_reader.hpp program/value.hpp
  FIND fmt ZLIB
  MODULES "TOMLPLUSPLUS tomlplusplus"
  PUBLIC_MODULES "HDF5 ${HDF5_MODULE_NAME}"
  PC_PRIVATE fmt zlib
  DESCRIPTION "What programs share: input and output files, checkpoints")
target_link_libraries(weft_program PUBLIC PkgConfig::HDF5
  PRIVATE fmt::fmt ZLIB::ZLIB $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)  # nlohmann_json has only headers
if(NOT WEFT_FUZZ)  # with WEFT_FUZZ toml++ is header-only, so that libFuzzer sees its branches
  target_link_libraries(weft_program PRIVATE PkgConfig::TOMLPLUSPLUS)
endif()
