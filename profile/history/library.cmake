# SPDX-License-Identifier: BSD-3-Clause
# `weft history` makes a page from the files of `weft run --history`. It is not an MPI program, so it is not a weft_command.
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
add_library(weft_history STATIC history/series.cpp history/trend.cpp history/badge.cpp history/page.cpp run/past_run.cpp
  run/commit.cpp run/junit.cpp run/markdown.cpp run/process.cpp run/gates.cpp)
# Each program that links it has its own error classes: weft_plain, or all of weft.
target_include_directories(weft_history PUBLIC ${CMAKE_CURRENT_SOURCE_DIR} PRIVATE ${PROJECT_SOURCE_DIR}/core/include)
target_link_libraries(weft_history PUBLIC weft_run_report nlohmann_json::nlohmann_json PRIVATE weft_build fmt::fmt)
add_executable(weft-history history/main.cpp)
target_link_libraries(weft-history PRIVATE weft_history weft_plain weft_build CLI11::CLI11 fmt::fmt)
add_dependencies(programs weft-history)
if(NOT WEFT_TESTED_ONLY)
  install(TARGETS weft-history RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
