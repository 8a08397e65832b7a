# SPDX-License-Identifier: BSD-3-Clause
# WEFT_PORTABLE: programs and Python modules that run without Debian's libraries, for the wheel (python/CMakeLists.txt).
# Libraries with a C++ interface, and those with many dependencies of their own (HDF5, Cairo), are linked statically or
# used as headers. So only one C++ standard library is in a program, and HDF5's unused network code brings no library.
# The rest (Embree, TBB, METIS, pixman, TurboJPEG, divsufsort) has C interfaces and is put into the wheel by auditwheel.
# The targets are defined before the find_package and pkg_check_modules calls that would define them otherwise.
include_guard(GLOBAL)
set(CMAKE_FIND_LIBRARY_SUFFIXES .a .so)  # zlib and bzip2

function(weft_archives variable)
  set(files "")
  foreach(name ${ARGN})
    find_library(WEFT_ARCHIVE_${name} lib${name}.a REQUIRED)
    mark_as_advanced(WEFT_ARCHIVE_${name})
    list(APPEND files ${WEFT_ARCHIVE_${name}})
  endforeach()
  set(${variable} ${files} PARENT_SCOPE)
endfunction()

# weft_archive_target(TARGET MODULE NAME...): a target with the headers of a pkg-config module and the given archives.
function(weft_archive_target target module)
  pkg_check_modules(WEFT_${module} REQUIRED ${module})
  weft_archives(files ${ARGN})
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${files}")
  target_include_directories(${target} SYSTEM INTERFACE ${WEFT_${module}_INCLUDE_DIRS})
endfunction()

find_package(PkgConfig REQUIRED)
weft_archive_target(PkgConfig::HDF5 hdf5-serial hdf5_serial sz aec z)
weft_archive_target(PkgConfig::CAIRO cairo cairo fontconfig expat freetype png16 brotlidec brotlicommon z)
find_library(WEFT_PIXMAN libpixman-1.so REQUIRED)  # its archive can't be linked into a shared object
target_link_libraries(PkgConfig::CAIRO INTERFACE ${WEFT_PIXMAN} m)
weft_archive_target(PkgConfig::ZSTD libzstd zstd)
weft_archive_target(PkgConfig::LZMA liblzma lzma)
weft_archive_target(pugixml::pugixml pugixml pugixml)
add_library(pugixml::static ALIAS pugixml::pugixml)
add_library(pugixml::shared ALIAS pugixml::pugixml)
find_library(TURBOJPEG_LIBRARY libturbojpeg.so REQUIRED)  # as pixman

add_library(PkgConfig::TOMLPLUSPLUS INTERFACE IMPORTED GLOBAL)
add_library(fmt::fmt-header-only INTERFACE IMPORTED GLOBAL)
set_target_properties(fmt::fmt-header-only PROPERTIES INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY=1)
add_library(fmt::fmt ALIAS fmt::fmt-header-only)

# hypot, arc4random: see portable.c. libgcc_s is everywhere; a static copy would need glibc 2.35.
enable_language(C)
add_library(weft_portable OBJECT ${CMAKE_CURRENT_LIST_DIR}/portable.c)
add_library(weft_portable_streams OBJECT ${CMAKE_CURRENT_LIST_DIR}/portable_streams.c)  # for shared objects only
link_libraries($<$<IN_LIST:$<TARGET_PROPERTY:TYPE>,EXECUTABLE$<SEMICOLON>MODULE_LIBRARY$<SEMICOLON>SHARED_LIBRARY>:$<TARGET_OBJECTS:weft_portable>>)
add_compile_options(-ffunction-sections -fdata-sections)
add_link_options(-static-libstdc++ -Wl,--exclude-libs,ALL -Wl,--gc-sections -Wl,-s)
