# SPDX-License-Identifier: BSD-3-Clause
# weft_library(NAME): makes the target weft_NAME a library for other projects, as which it is
#
#   weft::NAME         in CMake: after find_package(weft COMPONENTS NAME), and after add_subdirectory
#   weft-NAME          in pkg-config
#   libweft_NAME.a     or libweft_NAME.so.0.1 with BUILD_SHARED_LIBS, if the target was added without STATIC
#
# Symbols are hidden, except those that public headers declare in `namespace [[gnu::visibility("default")]] weft` (in C: with
# WEFT_API). The target is linked with weft_build, too.
#
#   DESCRIPTION     a sentence for pkg-config
#   HEADERS         public headers, relative to the house: they are installed into include/weft/libraries, where other projects
#                   include them as this one does. (Those in core/include are all public: WeftInstall installs them.)
#   USES            libraries of weft that the public headers need: linked PUBLIC
#   USES_PRIVATE    and that only sources need: linked PRIVATE
#   FIND            external libraries that only sources need, as arguments of find_package: "embree 3". The caller finds and links
#                   them. Other projects need them only if the library is static.
#   MODULES         the same for the imported targets of pkg_check_modules: "CAIRO cairo" for PkgConfig::CAIRO
#   PUBLIC_MODULES  such targets that are linked PUBLIC
#   PC_PRIVATE      for pkg-config: modules and -lLIBRARY for what FIND names
#   LANGUAGE        of the public headers: CXX (default), C or Fortran. In C and Fortran all of weft is USES_PRIVATE, and all that
#                   these use must be listed, too: pkg-config would add the flags of C++ of what it Requires.
#
# The loader of components, weftConfig.cmake.in, also has to know NAME, and the house that contains it.
include_guard(GLOBAL)
include(GNUInstallDirs)
set(weft_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/weft)
set(WEFT_INSTALLS TRUE)
if(WEFT_TESTED_ONLY OR WEFT_WHEEL OR WEFT_SIMULATED)
  set(WEFT_INSTALLS FALSE)
endif()
add_custom_target(libraries)  # all libraries for other projects

function(weft_library name)
  cmake_parse_arguments(L "" "DESCRIPTION;LANGUAGE" "HEADERS;USES;USES_PRIVATE;FIND;MODULES;PUBLIC_MODULES;PC_PRIVATE" ${ARGN})
  set(target weft_${name})
  if(name STREQUAL "weft")
    set(target weft)
  endif()
  add_library(weft::${name} ALIAS ${target})
  get_target_property(type ${target} TYPE)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  list(TRANSFORM L_USES PREPEND weft_ OUTPUT_VARIABLE uses)
  list(TRANSFORM L_USES_PRIVATE PREPEND weft_ OUTPUT_VARIABLE uses_private)
  if(type STREQUAL "INTERFACE_LIBRARY")
    target_link_libraries(${target} INTERFACE ${uses})
  else()
    add_dependencies(libraries ${target})
    target_link_libraries(${target} PUBLIC ${uses} PRIVATE ${uses_private} $<BUILD_INTERFACE:weft_build>)
    # Before version 1.0 a minor version may change the binary interface, so it is in the SOVERSION.
    set_target_properties(${target} PROPERTIES C_VISIBILITY_PRESET hidden CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
      VERSION ${weft_VERSION} SOVERSION ${weft_VERSION_MAJOR}.${weft_VERSION_MINOR} INSTALL_RPATH "$ORIGIN" INSTALL_RPATH_USE_LINK_PATH ON)
  endif()
  set(cflags)
  if(L_HEADERS)
    set(cflags " -I\${includedir}/weft/libraries")
    target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}>
      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/weft/libraries>)
  endif()
  if(NOT WEFT_INSTALLS)
    return()
  endif()

  install(TARGETS ${target} EXPORT weft_${name} DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  foreach(header ${L_HEADERS})
    cmake_path(GET header PARENT_PATH folder)
    install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/weft/libraries/${folder})
  endforeach()
  install(EXPORT weft_${name} NAMESPACE weft:: FILE targets.cmake DESTINATION ${weft_package_dir}/${name})

  set(static TRUE)
  if(type STREQUAL "SHARED_LIBRARY")  # contains what its sources need
    set(static FALSE)
    set(L_FIND)
    set(L_MODULES)
  endif()
  set(needs "")
  foreach(other ${L_USES} ${L_USES_PRIVATE})
    string(APPEND needs "weft_load(${other})\n")
  endforeach()
  foreach(one ${L_FIND})
    string(APPEND needs "find_dependency(${one})\n")
  endforeach()
  set(modules ${L_PC_PRIVATE})
  foreach(one ${L_MODULES} ${L_PUBLIC_MODULES})
    string(APPEND needs "weft_find_module(${one})\n")
    string(REGEX REPLACE "^[^ ]+ " "" module "${one}")
    list(APPEND modules ${module})
  endforeach()
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/package/${name}/library.cmake @ONLY CONTENT
"# What weft::${name} needs, and its targets.
${needs}include(\"\${CMAKE_CURRENT_LIST_DIR}/targets.cmake\")
")
  install(FILES ${PROJECT_BINARY_DIR}/package/${name}/library.cmake DESTINATION ${weft_package_dir}/${name})

  # Paths in .pc files are relative to the file itself, so that the installed tree can be moved.
  file(RELATIVE_PATH prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
  foreach(dir LIBDIR INCLUDEDIR)
    set(pc_${dir} ${CMAKE_INSTALL_${dir}})
    if(NOT IS_ABSOLUTE "${CMAKE_INSTALL_${dir}}")
      set(pc_${dir} "\${prefix}/${CMAKE_INSTALL_${dir}}")
    endif()
  endforeach()
  set(pc weft-${name})
  set(libs "-lweft_${name}")
  if(type STREQUAL "INTERFACE_LIBRARY")
    set(pc weft)
    set(libs "")
  endif()
  set(libs_private ${modules})
  list(FILTER libs_private INCLUDE REGEX "^-")
  set(compiler mpicxx=${MPI_CXX_COMPILER})
  set(standard "-std=c++20 ")
  if(L_LANGUAGE MATCHES "^(C|Fortran)$")
    list(TRANSFORM L_USES_PRIVATE PREPEND "-lweft_" OUTPUT_VARIABLE own)
    list(REVERSE own)  # the linker needs a library after those that use it
    list(PREPEND libs_private ${own})
    list(APPEND libs_private -lstdc++ -lm)
    set(L_USES_PRIVATE)
    set(standard "")
    set(compiler mpicc=${MPI_C_COMPILER})
    if(L_LANGUAGE STREQUAL "Fortran")
      set(compiler mpifort=${MPI_Fortran_COMPILER})
    endif()
  endif()
  list(JOIN libs_private " " libs_private)
  list(FILTER modules EXCLUDE REGEX "^-")
  list(TRANSFORM L_USES PREPEND "weft-")
  list(TRANSFORM L_USES_PRIVATE PREPEND "weft-")
  list(JOIN L_USES " " requires)
  list(JOIN L_USES_PRIVATE " " requires_private)
  list(JOIN modules " " modules)
  string(STRIP "${requires_private} ${modules}" requires_private)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/weft.pc.in ${PROJECT_BINARY_DIR}/package/${pc}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/package/${pc}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
