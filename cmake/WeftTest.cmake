# SPDX-License-Identifier: BSD-3-Clause
find_package(GTest REQUIRED)

# The command that starts ranks is ${WEFT_MPIRUN} RANKS PROGRAM..., with the environment WEFT_TEST_ENVIRONMENT.
if(WEFT_MPI_IS_OPENMPI)
  set(WEFT_MPIRUN ${MPIEXEC_EXECUTABLE} --oversubscribe --bind-to none -n)
  set(WEFT_TEST_ENVIRONMENT "OMPI_ALLOW_RUN_AS_ROOT=1" "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1" "OMPI_MCA_mpi_yield_when_idle=1"
    "PRTE_ALLOW_RUN_AS_ROOT=1" "PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1"
    # Leaves out modules for networks that no test uses: loading them takes each process 0.2 s and more (libpsm2 measures its clock).
    "OMPI_MCA_pml=ob1" "OMPI_MCA_mtl=^ofi,psm,psm2" "OMPI_MCA_btl=^ofi,openib,usnic")
else()
  set(WEFT_MPIRUN ${MPIEXEC_EXECUTABLE} -n)
  set(WEFT_TEST_ENVIRONMENT "WEFT_YIELD=yes")
endif()

# The folder for the sockets of Open MPI's jobs. All jobs share it. A job that ends removes it if it is empty, and another job that
# starts at this time then fails. So ctest first makes a subfolder in it, which keeps the folder.
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
  list(APPEND WEFT_TEST_ENVIRONMENT
    "TSAN_OPTIONS=halt_on_error=1:second_deadlock_stack=1:suppressions=${PROJECT_SOURCE_DIR}/tests/tsan.supp")
  # Programs with the thread sanitizer of gcc 12 and clang 14 do not start if addresses are randomised by more than 28 bits.
  find_program(SETARCH setarch)
  if(SETARCH AND EXISTS /proc/sys/vm/mmap_rnd_bits)
    file(READ /proc/sys/vm/mmap_rnd_bits random_bits)
    if(random_bits GREATER 28)
      set(CMAKE_CROSSCOMPILING_EMULATOR ${SETARCH} -R)
    endif()
  endif()
endif()

# GoogleTest is half of the code that the compiler reads for a test, so it is in a precompiled header. Debug and clang builds have no
# precompiled headers, and so find missing includes. Without -fPIC and -fPIE: all targets, also object libraries, must be compiled with
# the options of the precompiled header.
set(CMAKE_POSITION_INDEPENDENT_CODE OFF)
add_library(weft_test_headers OBJECT EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/support/headers.cpp)
target_link_libraries(weft_test_headers PRIVATE weft weft_build GTest::gtest GTest::gmock)
target_precompile_headers(weft_test_headers PRIVATE <gmock/gmock.h> <gtest/gtest.h>
  <algorithm> <array> <cmath> <cstdint> <cstring> <filesystem> <fstream> <functional> <map> <memory> <numeric> <optional> <span>
  <string> <thread> <vector>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(weft_test_headers PRIVATE -fpch-preprocess)  # for ccache
endif()

function(weft_use_test_headers target)
  target_link_libraries(${target} PRIVATE weft weft_build GTest::gtest GTest::gmock)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/core/source)
  target_precompile_headers(${target} REUSE_FROM weft_test_headers)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
endfunction()

# The ranks of the function on(): threads of the process (in_process), or the processes of the job (mpi).
foreach(where in_process mpi)
  add_library(weft_test_ranks_${where} OBJECT EXCLUDE_FROM_ALL ${PROJECT_SOURCE_DIR}/tests/support/core_ranks_${where}.cpp)
  weft_use_test_headers(weft_test_ranks_${where})
endforeach()

# Leaks are checked in tests of this file, but not in whole programs that scripts run: there a crash of the leak checker would look like
# a crash of the program.
set(WEFT_TEST_LAUNCHER)
set(WEFT_LEAKS)
if(WEFT_SANITIZE MATCHES "address")
  set(WEFT_TEST_LAUNCHER sh ${PROJECT_SOURCE_DIR}/tests/support/leak_tracer.sh)
  set(WEFT_LEAKS "ASAN_OPTIONS=detect_leaks=1")
endif()

# Programs for another machine run in an emulator (cmake/aarch64.cmake).
set(WEFT_TEST_EMULATOR)
if(CMAKE_CROSSCOMPILING)
  set(WEFT_TEST_EMULATOR ${CMAKE_CROSSCOMPILING_EMULATOR})
endif()

# The target HOUSE_tests: all programs of a house and of its tests.
function(weft_targets_in folder out)
  get_property(found DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(one ${folders})
    weft_targets_in(${one} more)
    list(APPEND found ${more})
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()
function(weft_house_target house)
  weft_targets_in(${PROJECT_SOURCE_DIR}/${house} own)
  weft_targets_in(${PROJECT_SOURCE_DIR}/${house}/tests tests)
  set(wanted)
  foreach(one ${own} ${tests})
    get_target_property(type ${one} TYPE)
    get_target_property(left_out ${one} EXCLUDE_FROM_ALL)
    if(type MATCHES "^(EXECUTABLE|MODULE_LIBRARY|SHARED_LIBRARY)$" AND NOT left_out)
      list(APPEND wanted ${one})
    endif()
  endforeach()
  add_custom_target(${house}_tests)
  if(wanted)
    add_dependencies(${house}_tests ${wanted})
  endif()
endfunction()

# weft_test_program(PART [APART] LIBRARIES lib ... [DEFINITIONS a=b ...]): the tests that follow in the same file belong to PART. They
# are in at most two programs: PART_test, in one process, and PART_mpi_test, whose main (tests/mpi_main.cpp) initialises MPI. The files of
# all tests are compiled together (unity build). With APART only the files of one test are, so that other tests can use the same names
# in unnamed namespaces.
macro(weft_test_program part)
  cmake_parse_arguments(P "APART" "" "LIBRARIES;DEFINITIONS" ${ARGN})
  set(WEFT_TEST_PART ${part})
  set(WEFT_TEST_APART ${P_APART})
  set(WEFT_TEST_LIBRARIES ${P_LIBRARIES})
  set(WEFT_TEST_DEFINITIONS ${P_DEFINITIONS})
endmacro()

# weft_test_target(KIND OUT): the target PART_test or PART_mpi_test, or the object library that is linked into both (any_transport). It is
# added at the first call.
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

# The GoogleTest filter of the tests in these sources, which are read when CMake configures.
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
        message(FATAL_ERROR "The suite ${suite} of ${program} is in the tests '${owner}' and '${name}'. Rename one of them.")
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
# Adds the tests in these files to ctest, as entry PART.NAME.
#   RANKS       runs them with mpirun, in one entry per rank count (PART.NAME.3). Without RANKS they run in a plain process.
#   IN_PROCESS  with RANKS: runs them in a plain process, too, for tests that hold on any transport
#   TIMEOUT     of an entry, seconds (default: 300)
#   PROCESSORS  number of processes that ctest -j counts for an entry (default: its ranks)
#   SERIAL      for tests that measure time: no other test runs at the same time, and `make quick` leaves them out
#   SLOW        leaves them out of `make quick`, which runs the other tests in plain processes
#   UNTHREADED  for tests without ranks or progress threads: leaves them out under the thread sanitizer
#   NUMERICAL   for tests of numbers after many steps of code that other tests cover: leaves them out under all sanitizers
#   EITHER_MPI  for tests that use mpi.h: runs them with the second MPI library (preset mpich), too. Of the others this preset runs only
#               whole programs (tests/cli).
# Entries in plain processes whose ranks are threads run alone. The thread sanitizer runs only tests in plain processes (the in-process
# transport), since MPI libraries are not instrumented. Under the address sanitizer, tests whose RANKS contain 3 run with 3 MPI ranks only
# (the core: 2 and 3); plain tests use all rank counts.
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
    if(WEFT_TEST_PART STREQUAL "weft")  # the core also with 2 ranks, where both neighbours are the same rank
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
      add_test(NAME ${entry} COMMAND ${WEFT_TEST_LAUNCHER} ${WEFT_TEST_EMULATOR} $<TARGET_FILE:${program}> "--gtest_filter=${filter}")
      if(NOT T_SLOW AND NOT T_SERIAL)
        set_tests_properties(${entry} PROPERTIES LABELS quick)
      endif()
      if(T_RANKS AND NOT WEFT_SANITIZE)  # ranks that are threads yield while they wait, and take many times as long beside other tests
        set_tests_properties(${entry} PROPERTIES RUN_SERIAL ON)
      endif()
      list(APPEND tests ${entry})
    else()
      foreach(n ${T_RANKS})
        set(entry ${WEFT_TEST_PART}.${name}.${n})
        add_test(NAME ${entry}
          COMMAND ${WEFT_TEST_LAUNCHER} ${WEFT_MPIRUN} ${n} ${WEFT_TEST_EMULATOR} $<TARGET_FILE:${program}> "--gtest_filter=${filter}")
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
