# SPDX-License-Identifier: BSD-3-Clause
# For the tests; tools/testbed compiles the program itself if it is not built.
if(NOT WEFT_TESTS OR NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  return()
endif()
add_executable(weft_testbed testbed/base.cpp testbed/check.cpp testbed/commands.cpp testbed/control.cpp testbed/execute.cpp testbed/node.cpp testbed/forwarder.cpp
  testbed/up.cpp)
set_target_properties(weft_testbed PROPERTIES OPTIMISE -O2)
target_include_directories(weft_testbed PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(weft_testbed PRIVATE weft_build)
add_library(weft_testbed_mpich MODULE testbed/preload/mpich_finalize.cpp)
set_target_properties(weft_testbed_mpich PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_link_libraries(weft_testbed_mpich PRIVATE weft_build)
