# SPDX-License-Identifier: BSD-3-Clause
# FFTW (GPL-2.0-or-later) for weft's transforms. No library of weft is linked with it. WEFT_FFTW is
#   open (or ON)   the library fft opens it at run time (dlopen) where the user has installed it; otherwise it uses pocketfft
#   off (or OFF)   it always uses pocketfft
#   link           the same as open, and `weft bench fft` is linked with FFTW's MPI transforms, with which it compares. Such a weft-bench
#                  may be distributed only under the GPL.
set(WEFT_FFTW "open" CACHE STRING "FFTW (GPL) for Fourier transforms: open (at run time), off, or link (weft-bench compares with FFTW's MPI transforms)")
set_property(CACHE WEFT_FFTW PROPERTY STRINGS open off link)
set(WEFT_OPENS_FFTW ON)
set(WEFT_HAVE_FFTW_MPI OFF)
string(TOLOWER "${WEFT_FFTW}" weft_fftw)
if(weft_fftw MATCHES "^(off|no|false|0)$")
  set(WEFT_OPENS_FFTW OFF)
elseif(NOT weft_fftw MATCHES "^(open|on|yes|true|1|link)$")
  message(FATAL_ERROR "WEFT_FFTW is '${WEFT_FFTW}'. Use open (or ON), off or link.")
endif()
if(weft_fftw STREQUAL "link")
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(FFTW QUIET IMPORTED_TARGET GLOBAL fftw3)
  endif()
  find_library(WEFT_FFTW_MPI_LIBRARY fftw3_mpi)
  mark_as_advanced(WEFT_FFTW_MPI_LIBRARY)
  # Debian's library is built with Open MPI. With another MPI library it would link, but crash.
  if(FFTW_FOUND AND WEFT_FFTW_MPI_LIBRARY AND WEFT_MPI_IS_OPENMPI)
    include(CheckCXXSourceCompiles)
    set(CMAKE_REQUIRED_LIBRARIES ${WEFT_FFTW_MPI_LIBRARY} PkgConfig::FFTW MPI::MPI_CXX)
    check_cxx_source_compiles("#include <fftw3-mpi.h>\nint main() { fftw_mpi_init(); }" WEFT_FFTW_MPI_LINKS)
    unset(CMAKE_REQUIRED_LIBRARIES)
    set(WEFT_HAVE_FFTW_MPI ${WEFT_FFTW_MPI_LINKS})
  endif()
  if(NOT WEFT_HAVE_FFTW_MPI)
    message(STATUS "weft bench fft does not compare with FFTW's MPI transforms: libfftw3-mpi-dev is not installed, or for another MPI library")
  endif()
endif()
