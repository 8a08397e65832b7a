# SPDX-License-Identifier: BSD-3-Clause
# The distributed Fourier transform. Its serial transforms are FFTW's (only in serial/fftw*.cpp; see cmake/WeftFftw.cmake) or
# pocketfft's.
# Debian has pocketfft's header in its package gemmi-dev.
find_path(WEFT_POCKETFFT pocketfft_hdronly.h PATH_SUFFIXES gemmi/third_party pocketfft)
if(NOT WEFT_POCKETFFT)
  if(NOT wanted MATCHES "programs|bench")
    message(STATUS "weft_fft is left out: pocketfft_hdronly.h is not found (Debian: gemmi-dev).")
    return()
  endif()
  message(FATAL_ERROR "pocketfft_hdronly.h is not found. Install it (Debian: gemmi-dev), or set WEFT_POCKETFFT to its folder.")
endif()
add_library(weft_fft
  fft/serial/fftw_functions.cpp
  fft/serial/fftw.cpp
  fft/serial/pocketfft.cpp
  fft/serial_transform.cpp
  fft/layout.cpp
  fft/boxes.cpp
  fft/passes.cpp
  fft/pass.cpp
  fft/reshape.cpp
  fft/fft.cpp
  fft/tune.cpp)
weft_compile(-O3 weft_fft)
weft_library(fft USES core tune
  HEADERS fft/buffer.hpp fft/fft.hpp fft/layout.hpp fft/pass.hpp fft/serial_transform.hpp fft/tune.hpp
  PC_PRIVATE -ldl
  DESCRIPTION "Distributed 2-D and 3-D Fourier transforms that compute while they send")
target_include_directories(weft_fft SYSTEM PRIVATE ${WEFT_POCKETFFT})
if(WEFT_OPENS_FFTW)
  target_compile_definitions(weft_fft PRIVATE WEFT_FFTW_OPENED)
  target_link_libraries(weft_fft PRIVATE ${CMAKE_DL_LIBS})
endif()

# Compiled once per instruction set, of which one is chosen at run time; optimised in every build type. Without contraction to FMA,
# all of them round in the same way. Files with options of their own are not in unity builds, as they must not be.
function(weft_pocketfft file)
  target_sources(weft_fft PRIVATE ${file})
  set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "-ffp-contract=off;${ARGN};$<$<CONFIG:Debug>:-O2>" SKIP_PRECOMPILE_HEADERS ON)
endfunction()
weft_pocketfft(fft/serial/pocketfft_generic.cpp)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  weft_pocketfft(fft/serial/pocketfft_avx2.cpp -mavx2)
  target_compile_definitions(weft_fft PRIVATE WEFT_FFT_X86)
endif()
