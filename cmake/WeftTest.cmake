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
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)
  endif()
endfunction()

# Leaks are looked for in these; not in whole programs that scripts run, where a crash of the tool that looks would be taken
# for theirs.
set(WEFT_TEST_LAUNCHER)
set(WEFT_LEAKS)
if(WEFT_SANITIZE MATCHES "address")
  set(WEFT_TEST_LAUNCHER sh ${PROJECT_SOURCE_DIR}/tests/support/leak_tracer.sh)
  set(WEFT_LEAKS "ASAN_OPTIONS=detect_leaks=1")
endif()

# weft_test(NAME SOURCES a.cpp ... [LIBRARIES lib ...] [RANKS 1 2 3 4] [TIMEOUT s] [PROCESSORS n] [SERIAL] [UNTHREADED]
#           [NUMERICAL])
# Builds one GoogleTest program. With RANKS it is run by mpirun once a rank count (its main is tests/mpi_main.cpp),
# without it runs as a plain process. ctest -j counts a test as PROCESSORS processes (default: its ranks); a SERIAL one,
# for what measures time, has the machine to itself. Under the thread sanitizer only plain tests are run: MPI
# libraries are not instrumented, so the in-process transport is what it looks at; of those, an UNTHREADED one, which
# runs no ranks or helper threads, is left out too. A NUMERICAL one looks at numbers after many steps of code that other tests
# go through: under no sanitizer. What is run without RANKS does not know the MPI library, so it is run
# with OpenMPI alone; the address sanitizer sees 2 and 3 ranks of MPI, and all counts in the plain tests.
function(weft_test name)
  cmake_parse_arguments(T "SERIAL;UNTHREADED;NUMERICAL" "TIMEOUT;PROCESSORS" "SOURCES;LIBRARIES;RANKS" ${ARGN})
  if(NOT T_TIMEOUT)
    set(T_TIMEOUT 300)
  endif()
  set(tests)
  add_executable(${name} ${T_SOURCES})
  weft_use_test_headers(${name})
  target_link_libraries(${name} PRIVATE ${T_LIBRARIES})
  if(WEFT_SANITIZE MATCHES "address" AND 3 IN_LIST T_RANKS)
    set(T_RANKS 2 3)
  endif()
  if(((T_RANKS OR T_UNTHREADED) AND WEFT_SANITIZE MATCHES "thread") OR (T_NUMERICAL AND WEFT_SANITIZE) OR NOT (T_RANKS OR WEFT_MPI_IS_OPENMPI))
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  elseif(T_RANKS)
    target_sources(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests/mpi_main.cpp)
    foreach(n ${T_RANKS})
      add_test(NAME ${name}.${n} COMMAND ${WEFT_TEST_LAUNCHER} ${WEFT_MPIRUN} ${n} $<TARGET_FILE:${name}>)
      set_tests_properties(${name}.${n} PROPERTIES PROCESSORS ${n})
      list(APPEND tests ${name}.${n})
    endforeach()
  else()
    target_link_libraries(${name} PRIVATE GTest::gtest_main)
    add_test(NAME ${name} COMMAND ${WEFT_TEST_LAUNCHER} $<TARGET_FILE:${name}>)
    set(tests ${name})
  endif()
  if(NOT tests)
    return()
  endif()
  set_tests_properties(${tests} PROPERTIES TIMEOUT ${T_TIMEOUT} ENVIRONMENT "${WEFT_TEST_ENVIRONMENT};${WEFT_LEAKS}")
  if(T_PROCESSORS)
    set_tests_properties(${tests} PROPERTIES PROCESSORS ${T_PROCESSORS})
  endif()
  if(T_SERIAL)
    set_tests_properties(${tests} PROPERTIES RUN_SERIAL ON)
  endif()
endfunction()
