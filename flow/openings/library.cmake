# SPDX-License-Identifier: BSD-3-Clause
# Finds the openings (inlets and outlets) of a surface, and writes a case of weft flow.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(CAIRO REQUIRED IMPORTED_TARGET cairo)

add_library(weft_openings STATIC
  openings/finding.cpp
  openings/find_openings.cpp
  openings/roles.cpp
  openings/case_text.cpp
  openings/svzerod.cpp
  openings/picture.cpp
  openings/report.cpp
  openings/detail/intersections.cpp
  openings/detail/flat_caps.cpp
  openings/detail/tube_ends.cpp
  openings/detail/blind_end.cpp)
weft_compile(-O1 weft_openings)
target_include_directories(weft_openings PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(weft_openings PUBLIC weft weft_geometry weft_insitu PRIVATE weft_text weft_build fmt::fmt nlohmann_json::nlohmann_json PkgConfig::CAIRO)
