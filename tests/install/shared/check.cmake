# SPDX-License-Identifier: BSD-3-Clause
# `make check-shared`: builds the core as shared libraries in a project that contains it, installs them, and builds programs with them.
# They must export only what is in namespace weft. To run: cmake -P tests/install/shared/check.cmake, from the project's root.
cmake_path(GET CMAKE_CURRENT_LIST_DIR PARENT_PATH tests)
cmake_path(GET tests PARENT_PATH root)
cmake_path(GET root PARENT_PATH root)
include(${tests}/run.cmake)
set(build ${root}/build/shared)
if(NOT DEFINED ENV{JOBS})
  cmake_host_system_information(RESULT jobs QUERY NUMBER_OF_LOGICAL_CORES)
  set(ENV{JOBS} ${jobs})
endif()
set(ENV{OMPI_ALLOW_RUN_AS_ROOT} 1)
set(ENV{OMPI_ALLOW_RUN_AS_ROOT_CONFIRM} 1)
set(mpirun mpiexec.openmpi --oversubscribe --bind-to none -n)

run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR} -B ${build} -G Ninja -D CMAKE_BUILD_TYPE=Release -D WEFT_MPI=openmpi -D WEFT_BUILD=core
  -D CMAKE_UNITY_BUILD=ON -D CMAKE_UNITY_BUILD_BATCH_SIZE=16 -D WEFT_WARNINGS_AS_ERRORS=ON)
run(${CMAKE_COMMAND} --build ${build} --parallel $ENV{JOBS})
set(components core collective tune fft)
foreach(name ${components})
  run(${mpirun} 2 ${build}/${name})
endforeach()

execute_process(COMMAND ${CMAKE_COMMAND} -D BUILD_DIR=${build} -D WORK_DIR=${build} -P ${tests}/prefix_test.cmake OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
foreach(name ${components})
  execute_process(COMMAND ${CMAKE_COMMAND} -D NAME=${name} -D SOURCE_DIR=${root} -D PREFIX=${build}/prefix -D WORK_DIR=${build}/consumers/${name}
    -D GENERATOR=Ninja -D COMPILER=c++ -D "MPIRUN=${mpirun}" -P ${tests}/consumer_test.cmake COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB_RECURSE library ${build}/prefix/*/libweft_${name}.so.0.1)
  if(NOT library)
    message(FATAL_ERROR "libweft_${name} has no SOVERSION.")
  endif()
  execute_process(COMMAND nm --dynamic --defined-only --demangle --format=posix ${library} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE ";" "," symbols "${symbols}")
  string(REPLACE "\n" ";" symbols "${symbols}")
  foreach(symbol ${symbols})
    # Templates of the standard library are weak symbols, and shared by all libraries that use them.
    if(NOT symbol MATCHES "weft::" AND NOT symbol MATCHES " [WVu] [0-9a-f]+")
      message(FATAL_ERROR "libweft_${name} exports ${symbol}")
    endif()
  endforeach()
endforeach()

message(STATUS "a component that was not built")
execute_process(COMMAND ${CMAKE_COMMAND} -S ${tests}/components -B ${build}/consumers/lattice -G Ninja -D CMAKE_PREFIX_PATH=${build}/prefix
  -D COMPONENT=lattice RESULT_VARIABLE status ERROR_VARIABLE message OUTPUT_QUIET)
string(REGEX REPLACE "[ \n]+" " " message "${message}")
if(status EQUAL 0 OR NOT message MATCHES "was built without its component 'lattice'. Build and install weft with -DWEFT_BUILD=flow")
  message(FATAL_ERROR "A missing component is not named: ${message}")
endif()
