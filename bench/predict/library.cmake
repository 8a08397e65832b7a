# SPDX-License-Identifier: BSD-3-Clause
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
add_library(weft_predict STATIC
  predict/reading.cpp predict/network.cpp predict/problem.cpp predict/step_time.cpp predict/forecast.cpp)
weft_compile(-O1 weft_predict)
target_include_directories(weft_predict PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(weft_predict PUBLIC weft PRIVATE weft_build fmt::fmt nlohmann_json::nlohmann_json)
weft_command(predict SOURCES predict/command.cpp LIBRARIES weft_predict)
