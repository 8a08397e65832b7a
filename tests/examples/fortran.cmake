# SPDX-License-Identifier: BSD-3-Clause
# The examples in Fortran. They use the module mpi_f08, of the compiler that built the MPI library.
if(NOT WEFT_FORTRAN)
  return()
endif()
find_program(MPI_Fortran_COMPILER NAMES mpifort.${WEFT_MPI} mpifort)
find_package(MPI QUIET COMPONENTS Fortran)
if(NOT MPI_Fortran_HAVE_F08_MODULE)
  message(STATUS "The examples in Fortran are not built (no module mpi_f08 for this compiler).")
  return()
endif()

function(fortran_target target)
  set(modules ${CMAKE_CURRENT_BINARY_DIR}/fortran/${target})  # of its own: modules of two programs have the same name
  set_target_properties(${target} PROPERTIES Fortran_MODULE_DIRECTORY ${modules} LINKER_LANGUAGE Fortran)
  if(NOT WEFT_MPI_IS_OPENMPI)
    set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
  endif()
  target_include_directories(${target} PUBLIC ${modules})
  target_link_libraries(${target} PUBLIC weft_fortran MPI::MPI_Fortran)
  if(CMAKE_Fortran_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -std=f2018 -Wall -Wextra -Wno-unused-dummy-argument $<$<CONFIG:Release>:-O2>
      -ffp-contract=off $<$<BOOL:${WEFT_WARNINGS_AS_ERRORS}>:-Werror>)  # the same bits on all processors
  endif()
endfunction()
# Builds the program NAME of a folder of examples. `modules`: the library of the folder's modules (not an OBJECT library: CMake 3.25 misses on
# which modules of other targets these depend).
function(fortran_example folder name modules)
  string(REPLACE / _ target example_${folder}_${name})
  add_executable(${target} ${ARGN})
  fortran_target(${target})
  target_link_libraries(${target} PRIVATE ${modules})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples/${folder})
  add_dependencies(examples ${target})
  if(folder MATCHES "^tutorial")
    add_dependencies(tutorial ${target})
  endif()
endfunction()

set(folder ${PROJECT_SOURCE_DIR}/examples/tutorial/fortran)
add_library(example_tutorial_fortran STATIC ${folder}/settings.f90 ${folder}/tube.f90 ${folder}/progress.f90)
fortran_target(example_tutorial_fortran)
foreach(name waits exchange overlaps one_wait modules)
  fortran_example(tutorial/fortran ${name} example_tutorial_fortran ${folder}/${name}.f90)
endforeach()

set(folder ${PROJECT_SOURCE_DIR}/examples/ocean)
add_library(example_ocean STATIC ${folder}/ocean_modules.f90 ${folder}/ocean_halo.f90 ${folder}/ocean_parts.f90)
fortran_target(example_ocean)
foreach(step RANGE 5)
  fortran_example(ocean ocean${step} example_ocean ${folder}/ocean_step${step}.f90 ${folder}/ocean.f90)
endforeach()
