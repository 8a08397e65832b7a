# SPDX-License-Identifier: BSD-3-Clause
find_package(GTest REQUIRED)

# How a program is run on ranks: ${WEFT_MPIRUN} RANKS PROGRAM..., in WEFT_TEST_ENVIRONMENT.
if(WEFT_MPI_IS_OPENMPI)
  set(WEFT_MPIRUN ${MPIEXEC_EXECUTABLE} --oversubscribe --bind-to none -n)
  set(WEFT_TEST_ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1" "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1" "OMPI_MCA_mpi_yield_when_idle=1"
    "PRTE_ALLOW_RUN_AS_ROOT=1" "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1"
    # For networks that no test has; only to load them takes each process 0.2 s and more (libpsm2 measures its clock).
    "OMPI_MCA_pml=ob1" "OMPI_MCA_mtl=^ofi,psm,psm2" "OMPI_MCA_btl=^ofi,openib,usnic")
else()
  set(WEFT_MPIRUN ${MPIEXEC_EXECUTABLE} -n)
  set(WEFT_TEST_ENVIRONMENT "")
endif()

# Where OpenMPI's jobs keep their sockets. A job that ends removes the folder that they share, and one that starts then fails; what
# holds a folder stays, so there is one in it, which ctest makes before it begins.
if(WEFT_MPI_IS_OPENMPI)
  string(MD5 hash "${PROJECT_BINARY_DIR}")
  string(SUBSTRING ${hash} 0 8 hash)
  execute_process(COMMAND hostname OUTPUT_VARIABLE host OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND id -u OUTPUT_VARIABLE user OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REGEX REPLACE "[.].*" "" host "${host}")
  list(APPEND WEFT_TEST_ENVIRONMENT "OMPI_MCA_orte_tmpdir_base=/tmp/weft-${hash}")
  file(WRITE ${PROJECT_BINARY_DIR}/job_folder.cmake "file(MAKE_DIRECTORY /tmp/weft-${hash}/ompi.${host}.${user}/keep)\n")
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY TEST_INCLUDE_FILES ${PROJECT_BINARY_DIR}/job_folder.cmake)
endif()

if(WEFT_SANITIZE MATCHES "address")
  list(APPEND WEFT_TEST_ENVIRONMENT "ASAN_OPTIONS=detect_leaks=0" "UBSAN_OPTIONS=print_stacktrace=1"
    "LSAN_OPTIONS=print_suppressions=0:suppressions=${PROJECT_SOURCE_DIR}/tests/lsan.supp")
endif()
if(WEFT_SANITIZE MATCHES "thread")
  list(APPEND WEFT_TEST_ENVIRONMENT "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1")
  # The thread sanitizer of gcc 12 and clang 14 does not start where addresses are randomised by more than 28 bits.
  find_program(SETARCH setarch)
  if(SETARCH AND EXISTS /proc/sys/vm/mmap_rnd_bits)
    file(READ /proc/sys/vm/mmap_rnd_bits random_bits)
    if(random_bits GREATER 28)
      set(CMAKE_CROSSCOMPILING_EMULATOR ${SETARCH} -R)
    endif()
  endif()
endif()

# Half of what the compiler reads for a test is GoogleTest, so it is read once. Debug builds and clang's do without, and see
# where an include is missing. No -fPIC, -fPIE: who uses a precompiled header is built as that is, libraries of objects too.
set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
add_library(weft_test_headers OBJECT EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/support/headers.cpp)
target_link_libraries(weft_test_headers PRIVATE weft weft_build GTest::gtest GTest::gmock)
target_precompile_headers(weft_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h>
  <algorithm> <array> <cmath> <cstdint> <cstring> <filesystem> <fstream> <functional> <map> <memory> <numeric> <optional> <span>
  <string> <thread> <vector>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(weft_test_headers PRIVATE -fpch-preprocess)  # for ccache
endif()

# What is compiled against GoogleTest. Its own code need not be fast, and is half of what there is to compile.
if(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(quick -O1)
endif()
target_compile_options(weft_test_headers PRIVATE ${quick})
function(weft_use_test_headers target)
  target_link_libraries(${target} PRIVATE weft weft_build GTest::gtest GTest::gmock)
  target_compile_options(${target} PRIVATE ${quick})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_precompile_headers(${target} REUSE_FROM weft_test_headers)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
endfunction()

# Where on()'s ranks come from: threads of the process, or the job's processes.
foreach(where in_process mpi)
  add_library(weft_test_ranks_${where} OBJECT EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/support/core_ranks_${where}.cpp)
  weft_use_test_headers(weft_test_ranks_${where})
endforeach()

# Leaks are looked for in these; not in whole programs that scripts run, where a crash of the tool that looks would be taken
# for theirs.
set(WEFT_TEST_LAUNCHER)
set(WEFT_LEAKS)
if(WEFT_SANITIZE MATCHES "address")
  set(WEFT_TEST_LAUNCHER sh ${PROJECT_SOURCE_DIR}/tests/support/leak_tracer.sh)
  set(WEFT_LEAKS "ASAN_OPTIONS=detect_leaks=1")
endif()

# weft_test_program(PART [APART] LIBRARIES lib ... [DEFINITIONS a=b ...]): the tests below it in this file are PART's. There are
# at most two programs of them: PART_test, in one process, and PART_mpi_test, whose main (tests/mpi_main.cpp) starts MPI. Their
# files are compiled together; with APART only those of one test are, so that others may use the same names for what is private.
macro(weft_test_program part)
  cmake_parse_arguments(P "APART" "" "LIBRARIES;DEFINITIONS" ${ARGN})
  set(WEFT_TEST_PART ${part})
  set(WEFT_TEST_APART ${P_APART})
  set(WEFT_TEST_LIBRARIES ${P_LIBRARIES})
  set(WEFT_TEST_DEFINITIONS ${P_DEFINITIONS})
endmacro()

# weft_test_target(KIND OUT): PART_test or PART_mpi_test, or what is linked into both, made when it is first needed.
function(weft_test_target kind out)
  set(target ${WEFT_TEST_PART}_${kind})
  set(${out} ${target} PARENT_SCOPE)
  if(TARGET ${target})
    return()
  endif()
  if(kind STREQUAL "any_transport")
    add_library(${target} OBJECT)
  else()
    add_executable(${target})
    if(kind STREQUAL "mpi_test")
      target_sources(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests/mpi_main.cpp)
      target_link_libraries(${target} PRIVATE weft_test_ranks_mpi)
    else()
      target_link_libraries(${target} PRIVATE GTest::gtest_main weft_test_ranks_in_process)
    endif()
  endif()
  weft_use_test_headers(${target})
  target_link_libraries(${target} PRIVATE ${WEFT_TEST_LIBRARIES})
  target_compile_definitions(${target} PRIVATE ${WEFT_TEST_DEFINITIONS})
endfunction()

# The filter for the tests that these sources hold, read from them.
function(weft_test_filter program name out)
  set(filter)
  foreach(source ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source})
    file(STRINGS ${source} lines REGEX "^(TYPED_)?TEST(_F|_P)?\\(")
    foreach(line ${lines})
      string(REGEX REPLACE "^[A-Z_]+\\(([A-Za-z0-9_]+).*" "\\1" suite "${line}")
      list(APPEND filter "${suite}.*" "*/${suite}.*" "${suite}/*")
      get_property(owner GLOBAL PROPERTY weft_suite_${program}_${suite})
      if(owner AND NOT owner STREQUAL name)
        message(FATAL_ERROR "the suite ${suite} of ${program} is in the tests '${owner}' and '${name}': one of them has to be named otherwise.")
      endif()
      set_property(GLOBAL PROPERTY weft_suite_${program}_${suite} ${name})
    endforeach()
  endforeach()
  list(REMOVE_DUPLICATES filter)
  list(JOIN filter ":" filter)
  set(${out} "${filter}" PARENT_SCOPE)
endfunction()

# weft_test(NAME SOURCES a_test.cpp ... [RANKS 1 2 3 4] [IN_PROCESS] [TIMEOUT s] [PROCESSORS n] [SERIAL] [UNTHREADED] [NUMERICAL]
#           [SLOW] [EITHER_MPI] [LIBRARIES lib ...])
# The tests in these files, as an entry of ctest's: PART.NAME. With RANKS they are run by mpirun, once a rank count
# (PART.NAME.3), without in a plain process; with RANKS and IN_PROCESS both, for what holds on any transport. ctest -j counts
# an entry as PROCESSORS processes (default: its ranks); a SERIAL one, for what measures time, has the machine to itself.
# `make quick` runs all that is in a plain process but for SLOW ones, whose ranks that are threads have the machine to themselves. Under the thread sanitizer only plain tests are run: MPI
# libraries are not instrumented, so the in-process transport is what it looks at; of those, an UNTHREADED one, which
# runs no ranks or helper threads, is left out too. A NUMERICAL one looks at numbers after many steps of code that other tests
# go through: under no sanitizer. With a second MPI library (the
# preset mpich) only EITHER_MPI ones are built and run, which see mpi.h, and whole programs (tests/apps/cli); the address sanitizer sees 3 ranks of MPI (the core: 2, too), and all counts in the plain tests.
function(weft_test name)
  cmake_parse_arguments(T "SERIAL;UNTHREADED;NUMERICAL;IN_PROCESS;SLOW;EITHER_MPI" "TIMEOUT;PROCESSORS" "SOURCES;LIBRARIES;RANKS" ${ARGN})
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 300)
  endif()
  if(NOT T_RANKS)
    set(T_IN_PROCESS TRUE)
  endif()
  if(WEFT_SANITIZE MATCHES "address" AND 3 IN_LIST T_RANKS)
    set(T_RANKS 3)
    if(WEFT_TEST_PART STREQUAL "weft")  # the core also where both neighbours are one rank
      set(T_RANKS 2 3)
    endif()
  endif()
  if(WEFT_SANITIZE MATCHES "thread")
    set(T_RANKS)
  endif()
  if((T_UNTHREADED AND WEFT_SANITIZE MATCHES "thread") OR NOT WEFT_MPI_IS_OPENMPI)
    set(T_IN_PROCESS FALSE)
  endif()
  if(NOT WEFT_MPI_IS_OPENMPI AND NOT T_EITHER_MPI)
    set(T_RANKS)
  endif()
  if((T_NUMERICAL AND WEFT_SANITIZE) OR NOT (T_RANKS OR T_IN_PROCESS))
    return()
  endif()

  set(kinds)
  if(T_IN_PROCESS)
    list(APPEND kinds test)
  endif()
  if(T_RANKS)
    list(APPEND kinds mpi_test)
  endif()
  set(home ${kinds})
  if(T_RANKS AND T_IN_PROCESS)
    set(home any_transport)
  endif()
  weft_test_target(${home} target)
  list(TRANSFORM T_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ REGEX "^[^/]")
  target_sources(${target} PRIVATE ${T_SOURCES})
  target_link_libraries(${target} PRIVATE ${T_LIBRARIES})
  if(WEFT_TEST_APART)
    set_source_files_properties(${T_SOURCES} PROPERTIES UNITY_GROUP ${name})
  else()
    set_source_files_properties(${T_SOURCES} PROPERTIES UNITY_GROUP all)
  endif()

  set(tests)
  foreach(kind ${kinds})
    weft_test_target(${kind} program)
    if(home STREQUAL "any_transport")
      target_link_libraries(${program} PRIVATE ${target})
    endif()
    weft_test_filter(${program} ${name} filter ${T_SOURCES})
    if(kind STREQUAL "test")
      set(entry ${WEFT_TEST_PART}.${name})
      add_test(NAME ${entry} COMMAND ${WEFT_TEST_LAUNCHER} $<TARGET_FILE:${program}> "--gtest_filter=${filter}")
      if(NOT T_SLOW AND NOT T_SERIAL)
        set_tests_properties(${entry} PROPERTIES LABELS quick)
      endif()
      if(T_RANKS AND NOT WEFT_SANITIZE)  # ranks that are threads and yield take many times as long beside others
        set_tests_properties(${entry} PROPERTIES RUN_SERIAL ON)
      endif()
      list(APPEND tests ${entry})
    else()
      foreach(n ${T_RANKS})
        set(entry ${WEFT_TEST_PART}.${name}.${n})
        add_test(NAME ${entry}
          COMMAND ${WEFT_TEST_LAUNCHER} ${WEFT_MPIRUN} ${n} $<TARGET_FILE:${program}> "--gtest_filter=${filter}")
        set_tests_properties(${entry} PROPERTIES PROCESSORS ${n})
        list(APPEND tests ${entry})
      endforeach()
    endif()
  endforeach()
  set_tests_properties(${tests} PROPERTIES TIMEOUT ${T_TIMEOUT} ENVIRONMENT "${WEFT_TEST_ENVIRONMENT};${WEFT_LEAKS}")
  if(T_PROCESSORS)
    set_tests_properties(${tests} PROPERTIES PROCESSORS ${T_PROCESSORS})
  endif()
  if(T_SERIAL)
    set_tests_properties(${tests} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()
