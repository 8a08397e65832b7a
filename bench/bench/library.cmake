# SPDX-License-Identifier: BSD-3-Clause
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
# The benchmarks that need only the core. They also run on simulated machines.
add_library(weft_bench_core STATIC
  bench/shared/statistics.cpp bench/shared/report.cpp bench/shared/rotation.cpp bench/shared/global_clock.cpp bench/shared/size_text.cpp
  bench/halo/halo_methods.cpp bench/halo/halo_baseline.cpp bench/halo/halo_scaling.cpp
  bench/pipelines/pipelines.cpp bench/steps/steps.cpp bench/network/network.cpp bench/nodes/nodes.cpp bench/device/device.cpp bench/core/core.cpp
  bench/core/parts.cpp)
foreach(part
    collectives delay_pattern experiments measure operations suite)
  target_sources(weft_bench_core PRIVATE bench/collectives/${part}.cpp)
endforeach()
weft_compile(-O3 weft_bench_core)
target_include_directories(weft_bench_core PUBLIC ${CMAKE_CURRENT_SOURCE_DIR}
  PRIVATE ${PROJECT_SOURCE_DIR}/flow)  # for the header-only velocity sets: weft_lattice is not built for simulated machines
target_link_libraries(weft_bench_core PUBLIC weft PRIVATE weft_build fmt::fmt nlohmann_json::nlohmann_json)
target_compile_definitions(weft_bench_core PRIVATE
  $<$<BOOL:${WEFT_MPI4_AT_RUN_TIME}>:WEFT_MPI4_AT_RUN_TIME>
  $<$<BOOL:${WEFT_HAVE_MPI_PERSISTENT_COLLECTIVES}>:WEFT_HAVE_MPI_PERSISTENT_COLLECTIVES>
  $<$<BOOL:${WEFT_HAVE_MPIX_PERSISTENT_COLLECTIVES}>:WEFT_HAVE_MPIX_PERSISTENT_COLLECTIVES>)
if(WEFT_SIMULATED)
  return()
endif()

# Apart, so that a comparison with PETSc can link it alone.
add_library(weft_bench_graph STATIC bench/graph/problem.cpp bench/graph/plain_graph.cpp bench/graph/weft_graph.cpp bench/graph/many.cpp bench/graph/graph.cpp)
weft_compile(-O3 weft_bench_graph)
target_link_libraries(weft_bench_graph PUBLIC weft_bench_core PRIVATE weft_build)

add_library(weft_bench STATIC
  bench/shared/process.cpp
  bench/workload/vessels.cpp bench/workload/plain_messages.cpp
  bench/coalesce/coalesce.cpp bench/coalesce/coalesce_images.cpp bench/monitors/monitors.cpp
  bench/halo/halo.cpp
  bench/kernel/kernel.cpp bench/kernel/stream.cpp
  bench/wave/wave.cpp bench/engine/engine.cpp bench/engine/engine_baseline.cpp
  bench/clock/clock.cpp bench/pack/pack.cpp bench/setup/setup.cpp
  bench/fft/fft.cpp bench/fft/fft_baseline.cpp
  bench/languages/languages.cpp bench/languages/languages_cpp.cpp
  bench/foreign/subject.cpp bench/foreign/foreign.cpp)
weft_compile(-O3 weft_bench)
target_include_directories(weft_bench PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(weft_bench PUBLIC weft_bench_core weft_bench_graph weft_fft weft_flow weft_phantom weft_pack weft_wave PRIVATE weft_run_preload weft_build fmt::fmt nlohmann_json::nlohmann_json)

if(WEFT_HAVE_FFTW_MPI)  # only with WEFT_FFTW=link
  target_compile_definitions(weft_bench PRIVATE WEFT_HAVE_FFTW_MPI)
  target_link_libraries(weft_bench PRIVATE ${WEFT_FFTW_MPI_LIBRARY} PkgConfig::FFTW)
endif()

# The workloads of `weft bench languages` in C and Fortran. The header of core/mpi_abi is for C++ only.
# weft_bench_language(NAME SOURCE LIBRARY): its library
function(weft_bench_language name source library)
  set(target weft_bench_${name})
  add_library(${target} STATIC ${source})
  set_target_properties(${target} PROPERTIES UNITY_BUILD OFF C_STANDARD 99 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
    Fortran_MODULE_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${name})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O3> -Wall -Wextra -Wpedantic $<$<BOOL:${WEFT_WARNINGS_AS_ERRORS}>:-Werror>)
  target_link_libraries(${target} PRIVATE ${library})
  target_link_libraries(weft_bench PRIVATE ${target})
  string(TOUPPER ${name} macro)
  target_compile_definitions(weft_bench PRIVATE WEFT_BENCH_${macro})
endfunction()
if(NOT WEFT_MPI STREQUAL "abi")
  weft_bench_language(c bench/languages/languages_c.c weft_c)
  if(TARGET weft_fortran)
    weft_bench_language(fortran bench/languages/languages_f.f90 weft_fortran)
  endif()
endif()

# The instruction set is chosen at run time, as for the lattice's kernels.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  target_sources(weft_bench PRIVATE bench/kernel/stream_avx2.cpp bench/kernel/stream_avx512.cpp)
  set_source_files_properties(bench/kernel/stream_avx2.cpp PROPERTIES COMPILE_OPTIONS -mavx2 SKIP_PRECOMPILE_HEADERS ON)
  set_source_files_properties(bench/kernel/stream_avx512.cpp PROPERTIES COMPILE_OPTIONS -mavx512f SKIP_PRECOMPILE_HEADERS ON)
  target_compile_definitions(weft_bench PRIVATE WEFT_BENCH_X86)
endif()

weft_command(bench SOURCES bench/command/command.cpp bench/command/foreign.cpp bench/command/models.cpp bench/command/robustness.cpp LIBRARIES weft_bench weft_robustness)
