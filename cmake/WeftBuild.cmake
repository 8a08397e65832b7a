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
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # gcc collects its garbage later, which saves a tenth of the time for some 200 MB; at -O1 it takes values for uninitialised.
  target_compile_options(weft_build INTERFACE "SHELL:--param ggc-min-heapsize=262144 --param ggc-min-expand=200"
    $<$<NOT:$<BOOL:$<TARGET_PROPERTY:OPTIMISE>>>:-Wno-maybe-uninitialized> $<$<STREQUAL:$<TARGET_PROPERTY:OPTIMISE>,-O1>:-Wno-maybe-uninitialized>)
  # in unity builds gcc takes types in a file's unnamed namespace for types of a header
  target_compile_options(weft_build INTERFACE $<$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>:-Wno-subobject-linkage>)
endif()
# weft_compile(LEVEL TARGET...): the optimisation of these targets in the build type Release. Most code runs once a run, so without
# this call it is -O1, which takes two thirds of the time of -O3. The targets share precompiled standard headers: one per level, as gcc
# needs. Debug and clang builds do without, and so find missing includes.
set(optimise $<TARGET_PROPERTY:OPTIMISE>)
target_compile_options(weft_build INTERFACE $<$<CONFIG:Release>:$<IF:$<BOOL:${optimise}>,${optimise},-O1>>)
function(weft_compile level)
  foreach(target ${ARGN})
    set_target_properties(${target} PROPERTIES OPTIMISE ${level})
  endforeach()
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  set(headers weft_headers${level})
  if(NOT TARGET ${headers})
    file(WRITE ${PROJECT_BINARY_DIR}/headers.cpp "")
    add_library(${headers} OBJECT EXCLUDE_FROM_ALL ${PROJECT_BINARY_DIR}/headers.cpp)
    target_link_libraries(${headers} PRIVATE weft_build)
    target_compile_options(${headers} PRIVATE -fpch-preprocess)
    set_target_properties(${headers} PROPERTIES OPTIMISE ${level})
    target_precompile_headers(${headers} PRIVATE <algorithm> <array> <atomic> <cmath> <cstdint> <cstring> <deque> <filesystem>
      <fstream> <functional> <limits> <map> <memory> <numbers> <numeric> <optional> <set> <span> <string> <thread> <vector>)
  endif()
  foreach(target ${ARGN})
    target_precompile_headers(${target} REUSE_FROM ${headers})
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # for ccache
  endforeach()
endfunction()
if(WEFT_NATIVE)
  target_compile_options(weft_build INTERFACE -march=native)
endif()
if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")  # where all processors have FMA: no contraction, for the same bits in every loop
  target_compile_options(weft_build INTERFACE -ffp-contract=off)
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
