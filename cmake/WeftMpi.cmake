# SPDX-License-Identifier: BSD-3-Clause
# Finds the MPI library that WEFT_MPI names, and the features of it that weft uses where they are there.
# Features are found by symbol, never by version: libraries have calls that their version does not promise.
if(WEFT_MPI)
  find_program(WEFT_MPICXX NAMES mpicxx.${WEFT_MPI} mpicxx REQUIRED)
  find_program(WEFT_MPIEXEC NAMES mpiexec.${WEFT_MPI} mpirun.${WEFT_MPI} mpiexec REQUIRED)
  set(MPI_CXX_COMPILER ${WEFT_MPICXX} CACHE FILEPATH "")
  set(MPIEXEC_EXECUTABLE ${WEFT_MPIEXEC} CACHE FILEPATH "")
endif()
set(MPI_CXX_SKIP_MPICXX ON)
find_package(MPI 3.1 REQUIRED COMPONENTS CXX)

include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_LIBRARIES MPI::MPI_CXX)
check_cxx_source_compiles("#include <mpi.h>\nint main() { return MPI_Allreduce_init == nullptr; }" WEFT_HAVE_MPI_PERSISTENT_COLLECTIVES)
if(NOT WEFT_HAVE_MPI_PERSISTENT_COLLECTIVES)
  check_cxx_source_compiles("#include <mpi.h>\n#include <mpi-ext.h>\nint main() { return MPIX_Allreduce_init == nullptr; }" WEFT_HAVE_MPIX_PERSISTENT_COLLECTIVES)
endif()
unset(CMAKE_REQUIRED_LIBRARIES)

execute_process(COMMAND ${MPIEXEC_EXECUTABLE} --version OUTPUT_VARIABLE version ERROR_QUIET)
if(version MATCHES "Open MPI|OpenRTE|PRTE")
  set(WEFT_MPI_IS_OPENMPI TRUE)
endif()
if((WEFT_MPI STREQUAL "openmpi" AND NOT WEFT_MPI_IS_OPENMPI) OR (WEFT_MPI STREQUAL "mpich" AND WEFT_MPI_IS_OPENMPI))
  message(FATAL_ERROR "WEFT_MPI is ${WEFT_MPI}, but ${MPIEXEC_EXECUTABLE} belongs to another MPI library. install ${WEFT_MPI}, or configure without a preset and without WEFT_MPI.")
endif()
