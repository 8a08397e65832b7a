# SPDX-License-Identifier: BSD-3-Clause
# CMake's toolchain file for Arm servers, with Debian's cross compiler and the libraries below $WEFT_SYSROOT (tools/sysroot).
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_SYSROOT $ENV{WEFT_SYSROOT})
foreach(language C ASM)
  set(CMAKE_${language}_COMPILER aarch64-linux-gnu-gcc)
endforeach()
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(WEFT_SYSROOT_OPENMPI ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/openmpi)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64;-L;${CMAKE_SYSROOT})  # runs the tests
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(kind LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
endforeach()
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
