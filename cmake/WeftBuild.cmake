# SPDX-License-Identifier: BSD-3-Clause
# Language level, warnings, sanitizers: one interface target that every target of ours links privately.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # It keeps what is built with a precompiled header too, if told that macros may differ that such a header does not use; and
  # one build's files for the other one's, where only the folder of the build differs.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
endif()

add_library(weft_build INTERFACE)
target_compile_options(weft_build INTERFACE -Wall -Wextra -Wpedantic -Wconversion)
if(WEFT_WARNINGS_AS_ERRORS)  # off in the sanitizers' presets: what they insert misleads gcc's flow analysis
  target_compile_options(weft_build INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # takes what is private to a file for a header's where files are compiled together
  target_compile_options(weft_build INTERFACE $<$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>:-Wno-subobject-linkage>)
endif()
# For code that reads words and files, and never computes: a third of the compiler's time is saved.
add_library(weft_cold INTERFACE)
target_compile_options(weft_cold INTERFACE $<$<CONFIG:Release>:-O1>)
if(WEFT_NATIVE)
  target_compile_options(weft_build INTERFACE -march=native)
endif()
if(WEFT_SANITIZE)
  add_compile_options(-fsanitize=${WEFT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${WEFT_SANITIZE})
  add_compile_definitions(WEFT_SANITIZED)  # for tests: a sanitizer needs a path once, not often
endif()
if(WEFT_SANITIZE MATCHES "address")
  target_sources(weft_build INTERFACE
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:${PROJECT_SOURCE_DIR}/cmake/keep_modules.cpp>)
endif()
