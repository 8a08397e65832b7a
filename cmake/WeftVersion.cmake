# SPDX-License-Identifier: BSD-3-Clause
# The headers weft_version.h (version, MPI library, compiler, options) and weft_commit.h, in include/ of the build folder.
# As a script, cmake -D SOURCE=... -D OUTPUT=... -P WeftVersion.cmake, it writes weft_commit.h.
function(weft_write_commit source output)
  set(commit "$Format:%H$")  # git archive writes the commit here (.gitattributes)
  if(commit MATCHES "Format")
    set(commit "")
  endif()
  execute_process(COMMAND git -C ${source} rev-parse --show-toplevel HEAD OUTPUT_VARIABLE found ERROR_QUIET RESULT_VARIABLE status)
  if(status EQUAL 0 AND found MATCHES "^([^\n]+)\n([0-9a-f]+)\n")
    set(commit ${CMAKE_MATCH_2})
    file(REAL_PATH ${CMAKE_MATCH_1} top)
    file(REAL_PATH ${source} source)
    if(NOT top STREQUAL source)  # a copy of weft in another project's repository
      set(commit "")
    endif()
  endif()
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT [[/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef WEFT_COMMIT_H
#define WEFT_COMMIT_H
/* The commit from which this weft was built; empty if it was not built from its repository. */
#define WEFT_COMMIT "@commit@"
#endif
]])
endfunction()
if(CMAKE_SCRIPT_MODE_FILE)
  weft_write_commit(${SOURCE} ${OUTPUT})
  return()
endif()

set(WEFT_BUILD_MPI "MPICH")
if(WEFT_SIMULATED)
  set(WEFT_BUILD_MPI "SimGrid SMPI")
elseif(WEFT_MPI STREQUAL "abi")
  set(WEFT_BUILD_MPI "any MPI library")
elseif(WEFT_MPI_IS_OPENMPI)
  set(WEFT_BUILD_MPI "Open MPI")
elseif(version MATCHES "Intel")  # what mpiexec says, from WeftMpi.cmake
  set(WEFT_BUILD_MPI "Intel MPI")
endif()
string(STRIP "${WEFT_BUILD_MPI} ${WEFT_MPI_VERSION}" WEFT_BUILD_MPI)
set(WEFT_BUILD_COMPILER "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
set(linking static)
if(BUILD_SHARED_LIBS)
  set(linking shared)
endif()
string(TOUPPER "${CMAKE_BUILD_TYPE}" upper)
# Without options that contain a path: the text is the same on every machine.
string(REGEX REPLACE "[^ ]*/[^ ]*|[\"\\]" "" flags "${CMAKE_CXX_FLAGS_${upper}} ${CMAKE_CXX_FLAGS}")
set(WEFT_BUILD_OPTIONS "${CMAKE_BUILD_TYPE} ${linking} ${flags}")
foreach(option WEFT_NATIVE WEFT_PORTABLE WEFT_MPI4_AT_RUN_TIME WEFT_SANITIZE)
  if(${option})
    string(APPEND WEFT_BUILD_OPTIONS " ${option}=${${option}}")
  endif()
endforeach()
string(REGEX REPLACE " +" " " WEFT_BUILD_OPTIONS "${WEFT_BUILD_OPTIONS}")
string(STRIP "${WEFT_BUILD_OPTIONS}" WEFT_BUILD_OPTIONS)
configure_file(${CMAKE_CURRENT_LIST_DIR}/weft_version.h.in ${PROJECT_BINARY_DIR}/include/weft_version.h @ONLY)

# weft_commit(TARGET SOURCE): SOURCE of TARGET includes weft_commit.h. It is compiled again after each commit, and nothing else is.
function(weft_commit target source)
  set(header ${PROJECT_BINARY_DIR}/include/weft_commit.h)
  execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} rev-parse --git-path logs/HEAD WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    OUTPUT_VARIABLE log ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  cmake_path(ABSOLUTE_PATH log BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
  if(EXISTS "${log}" AND NOT IS_DIRECTORY "${log}")
    set(script ${PROJECT_SOURCE_DIR}/cmake/WeftVersion.cmake)
    add_custom_command(OUTPUT ${header} DEPENDS ${log} ${script} VERBATIM COMMENT "Reading the commit"
      COMMAND ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR} -D OUTPUT=${header} -P ${script})
    target_sources(${target} PRIVATE ${header})
  else()
    weft_write_commit(${PROJECT_SOURCE_DIR} ${header})
  endif()
  set_source_files_properties(${source} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
endfunction()
