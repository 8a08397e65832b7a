# SPDX-License-Identifier: BSD-3-Clause
# Language standard, warnings and sanitizers: the interface target weft_build, which all targets link privately.
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
  # pch_defines lets ccache also store objects that use a precompiled header: macros that the header does not use may differ. With
  # BASEDIR and NOHASHDIR builds in different folders share their objects.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
    CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
endif()

add_library(weft_build INTERFACE)
target_compile_options(weft_build INTERFACE -Wall -Wextra -Wpedantic -Wconversion)
if(WEFT_WARNINGS_AS_ERRORS)  # off in the sanitizers' presets: the inserted code causes false warnings of gcc's flow analysis
  target_compile_options(weft_build INTERFACE -Werror)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # in unity builds gcc takes types in a file's unnamed namespace for types of a header
  target_compile_options(weft_build INTERFACE $<$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>:-Wno-subobject-linkage>)
endif()
# For code that only reads command lines and files and does not compute: -O1 saves a third of the compile time.
add_library(weft_cold INTERFACE)
target_compile_options(weft_cold INTERFACE $<$<CONFIG:Release>:-O1>)
if(WEFT_NATIVE)
  target_compile_options(weft_build INTERFACE -march=native)
endif()
if(WEFT_SANITIZE)
  add_compile_options(-fsanitize=${WEFT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${WEFT_SANITIZE})
  add_compile_definitions(WEFT_SANITIZED)  # tests repeat less: a sanitizer needs to execute each path only once
endif()
if(WEFT_SANITIZE MATCHES "address")
  target_sources(weft_build INTERFACE
    $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:${PROJECT_SOURCE_DIR}/cmake/keep_modules.cpp>)
endif()
