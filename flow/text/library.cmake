# SPDX-License-Identifier: BSD-3-Clause
# Strings of JSON and TOML, and the writer of case files.
find_package(fmt REQUIRED)
add_library(weft_text STATIC text/text.cpp text/case_writer.cpp)
weft_compile(-O1 weft_text)
target_include_directories(weft_text PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(weft_text PUBLIC weft PRIVATE weft_build fmt::fmt)
