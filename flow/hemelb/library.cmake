# SPDX-License-Identifier: BSD-3-Clause
# Reads HemeLB's files: geometry (.gmy) and case (XML).
find_package(ZLIB REQUIRED)
find_package(pugixml REQUIRED)
find_package(fmt REQUIRED)
add_library(weft_hemelb STATIC
  hemelb/gmy.cpp
  hemelb/gmy_domain.cpp
  hemelb/xml.cpp
  hemelb/condition.cpp
  hemelb/case.cpp
  hemelb/outputs.cpp
  hemelb/import.cpp)
weft_compile(-O1 weft_hemelb)
target_include_directories(weft_hemelb PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(weft_hemelb PUBLIC weft weft_geometry PRIVATE weft_text weft_build ZLIB::ZLIB pugixml::pugixml fmt::fmt)
set_target_properties(ZLIB::ZLIB PROPERTIES IMPORTED_GLOBAL ON)  # the tests write such files
