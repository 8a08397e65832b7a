# SPDX-License-Identifier: BSD-3-Clause
# Shows a running program in a web browser. Boost.Beast is header-only.
find_package(Threads REQUIRED)
find_path(BOOST_INCLUDE_DIR boost/beast/version.hpp REQUIRED)
find_path(TURBOJPEG_INCLUDE_DIR turbojpeg.h REQUIRED)
find_library(TURBOJPEG_LIBRARY turbojpeg REQUIRED)

set(web ${CMAKE_CURRENT_SOURCE_DIR}/web)
file(GLOB pages CONFIGURE_DEPENDS ${web}/*.html ${web}/*.css ${web}/*.js ${web}/*.svg)
add_custom_command(OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/assets.cpp
  COMMAND ${CMAKE_COMMAND} -D FOLDER=${web} -D OUTPUT=${CMAKE_CURRENT_BINARY_DIR}/assets.cpp
          -P ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake
  DEPENDS ${pages} ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake
  COMMENT "Embedding the viewer's page")

add_library(weft_view STATIC
  view/access.cpp
  view/encoder.cpp
  view/outbox.cpp
  view/server.cpp
  view/session.cpp
  ${CMAKE_CURRENT_BINARY_DIR}/assets.cpp)
weft_compile(-O1 weft_view)
target_include_directories(weft_view PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_include_directories(weft_view SYSTEM PRIVATE ${BOOST_INCLUDE_DIR} ${TURBOJPEG_INCLUDE_DIR})
target_link_libraries(weft_view PUBLIC weft Threads::Threads PRIVATE weft_text weft_build ${TURBOJPEG_LIBRARY})
