# SPDX-License-Identifier: BSD-3-Clause
# FFTW in both precisions for weft's transforms, and FFTW's MPI transforms, with which `weft bench fft` compares. Without FFTW they
# use pocketfft.
# FFTW is GPL-2.0-or-later: a program linked with it may be distributed only under the GPL. WEFT_FFTW is
#   link (or ON)   links FFTW if libfftw3-dev is installed, otherwise the same as open
#   open           does not link FFTW; opens it at run time (dlopen) where the user has installed it
#   off (or OFF)   neither
set(WEFT_FFTW "link" CACHE STRING "FFTW (GPL) for Fourier transforms: link (if it is installed), open (at run time) or off")
set_property(CACHE WEFT_FFTW PROPERTY STRINGS link open off)
set(WEFT_HAVE_FFTW OFF)      # linked
set(WEFT_OPENS_FFTW OFF)
set(WEFT_HAVE_FFTW_MPI OFF)
string(TOLOWER "${WEFT_FFTW}" weft_fftw)
if(weft_fftw MATCHES "^(link|on|yes|true|1)$")
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(FFTW QUIET IMPORTED_TARGET GLOBAL fftw3 fftw3f)
  endif()
  if(FFTW_FOUND)
    set(WEFT_HAVE_FFTW ON)
  else()
    message(STATUS "FFTW is not installed (libfftw3-dev): transforms use pocketfft, or FFTW if it is there at run time")
    set(WEFT_OPENS_FFTW ON)
  endif()
elseif(weft_fftw STREQUAL "open")
  set(WEFT_OPENS_FFTW ON)
elseif(NOT weft_fftw MATCHES "^(off|no|false|0)$")
  message(FATAL_ERROR "WEFT_FFTW is '${WEFT_FFTW}'. Use link (or ON), open or off.")
endif()
if(WEFT_HAVE_FFTW)
  find_library(WEFT_FFTW_MPI_LIBRARY fftw3_mpi)
  mark_as_advanced(WEFT_FFTW_MPI_LIBRARY)
  # Debian's library is built with Open MPI. With another MPI library it would link, but crash.
  if(WEFT_FFTW_MPI_LIBRARY AND WEFT_MPI_IS_OPENMPI)
    include(CheckCXXSourceCompiles)
    set(CMAKE_REQUIRED_LIBRARIES ${WEFT_FFTW_MPI_LIBRARY} PkgConfig::FFTW MPI::MPI_CXX)
    check_cxx_source_compiles("#include <fftw3-mpi.h>\nint main() { fftw_mpi_init(); }" WEFT_FFTW_MPI_LINKS)
    unset(CMAKE_REQUIRED_LIBRARIES)
    set(WEFT_HAVE_FFTW_MPI ${WEFT_FFTW_MPI_LINKS})
  endif()
endif()
