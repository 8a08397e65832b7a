# SPDX-License-Identifier: BSD-3-Clause
# `weft run` starts MPI programs with libweft_advise.so. It is not an MPI program itself, so it is not a weft_command.
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
add_subdirectory(run/report)
# Finds the library to preload. Also used by weft-bench, which is an MPI program, so each links its own error classes.
add_library(weft_run_preload STATIC run/preload.cpp)
target_include_directories(weft_run_preload PUBLIC ${CMAKE_CURRENT_SOURCE_DIR} PRIVATE ${PROJECT_SOURCE_DIR}/core/include)
target_link_libraries(weft_run_preload PRIVATE weft_build fmt::fmt)
if(NOT TARGET weft_advise)
  return()  # nothing to preload
endif()
add_executable(weft-run run/main.cpp run/options.cpp run/launcher.cpp run/hand_on.cpp run/executable.cpp
  run/process.cpp run/report_files.cpp run/gates.cpp run/past_run.cpp run/commit.cpp run/markdown.cpp run/junit.cpp
  run/emulated.cpp)
target_include_directories(weft-run PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(weft-run PRIVATE weft_run_report weft_run_preload advise_core weft_plain weft_build CLI11::CLI11 fmt::fmt
  nlohmann_json::nlohmann_json)
add_dependencies(weft-run weft_advise weft-testbed)
add_dependencies(programs weft-run)
if(NOT WEFT_TESTED_ONLY)
  install(TARGETS weft-run RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
