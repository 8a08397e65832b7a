# SPDX-License-Identifier: BSD-3-Clause
# Looks for a Fortran compiler, for the module weft (core/fortran). The module needs array descriptors of Fortran 2018, which gfortran 12
# and flang 20 and newer have. Without one, weft.f90 is still installed.
set(found OFF)
if(NOT WEFT_SIMULATED AND NOT WEFT_FUZZ AND NOT WEFT_MPI STREQUAL "abi")
  include(CheckLanguage)
  check_language(Fortran)
  if(CMAKE_Fortran_COMPILER)
    set(found ON)
  endif()
endif()
option(WEFT_FORTRAN "build the Fortran module weft (needs gfortran 12, flang 20 or newer)" ${found})
if(WEFT_FORTRAN)
  enable_language(Fortran)
  if(WEFT_MPI)
    find_program(WEFT_MPIFORT NAMES mpifort.${WEFT_MPI} mpifort)
    set(MPI_Fortran_COMPILER ${WEFT_MPIFORT} CACHE FILEPATH "")
  endif()
  find_package(MPI QUIET COMPONENTS Fortran)  # for tests, and as a hint for users: the module does not use it
endif()
