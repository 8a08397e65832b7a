# SPDX-License-Identifier: BSD-3-Clause
# The analysis is a library without MPI, so that tests can run it with any sanitizer. libweft_advise.so is preloaded into other
# programs; it detects their MPI library and opens one of three libraries beside it. None is built with an MPI library.
find_package(nlohmann_json REQUIRED)
find_package(tsl-robin-map REQUIRED)
add_library(advise_core STATIC advise/recorder.cpp advise/steps.cpp advise/flight.cpp advise/verdict.cpp advise/table.cpp advise/table_json.cpp
  advise/turns.cpp advise/call_sites.cpp advise/python_lines.cpp advise/short_names.cpp advise/rows.cpp
  advise/live.cpp advise/busy.cpp advise/clock_rate.cpp advise/whereabouts.cpp advise/claim.cpp)
target_link_libraries(advise_core PUBLIC weft_plain tsl::robin_map PRIVATE weft_build nlohmann_json::nlohmann_json ${CMAKE_DL_LIBS})
weft_compile(-O2 advise_core)
target_include_directories(advise_core PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
if(WEFT_SANITIZE)
  return()  # a sanitizer's library would have to be loaded before a preloaded one
endif()
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux" OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|aarch64)$")
  message(STATUS "libweft_advise is not built: it is for Linux on x86_64 and aarch64.")
  return()
endif()

find_package(Python3 COMPONENTS Interpreter REQUIRED)
set(generator ${CMAKE_CURRENT_SOURCE_DIR}/advise/functions/generate.py)
set(table ${CMAKE_CURRENT_SOURCE_DIR}/advise/functions/mpi_functions.txt)
set(generated ${CMAKE_CURRENT_BINARY_DIR}/generated/advise)
set(files slots.S slots.inc early_slots.inc slot_numbers.hpp hooks_c.inc hooks_fortran.inc hook_table_c.inc hook_table_fortran.inc hook_table_setup.inc)
list(TRANSFORM files PREPEND ${generated}/)
add_custom_command(OUTPUT ${files} DEPENDS ${generator} ${table} VERBATIM
  COMMAND ${Python3_EXECUTABLE} ${generator} ${table} ${generated})
add_custom_target(advise_hooks DEPENDS ${files})

# One preload library.
function(advise_library name map)
  add_library(${name} SHARED ${ARGN})
  add_dependencies(${name} advise_hooks)
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/generated)
  # It must not load a library that the program does not use, or uses in another version.
  # A static libgcc needs glibc 2.35, so a portable build takes the system's.
  target_link_options(${name} PRIVATE -static-libstdc++ $<$<NOT:$<BOOL:${WEFT_PORTABLE}>>:-static-libgcc> -Wl,--gc-sections
    -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/advise/${map} -Wl,--no-undefined)
  target_link_libraries(${name} PRIVATE weft_build ${CMAKE_DL_LIBS})
  set_target_properties(${name} PROPERTIES OPTIMISE -O2 LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/advise/${map}
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} UNITY_BUILD OFF)
  install(TARGETS ${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

enable_language(ASM)
set_source_files_properties(loader/slots_${CMAKE_SYSTEM_PROCESSOR}.S PROPERTIES OBJECT_DEPENDS ${generated}/slots.S)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(own_dlsym loader/dlsym_x86_64.S)  # elsewhere programs that look up MPI functions themselves are not recorded
endif()
advise_library(weft_advise exports.map loader/loader.cpp loader/nvtx.cpp ${own_dlsym} loader/slots_${CMAKE_SYSTEM_PROCESSOR}.S)
target_compile_options(weft_advise PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti>)

set_source_files_properties(advise/hooks_c.cpp advise/hooks_fortran.cpp PROPERTIES COMPILE_OPTIONS $<$<CONFIG:Release>:-O1>
  SKIP_PRECOMPILE_HEADERS ON)
foreach(abi openmpi mpich abi)
  advise_library(weft_advise_${abi} exports_abi.map
    advise/functions.cpp advise/settings.cpp advise/message.cpp advise/waiting.cpp advise/network.cpp
    advise/progress_thread.cpp advise/one_sided.cpp advise/session.cpp advise/gather.cpp advise/replay.cpp advise/report.cpp advise/trace.cpp advise/call.cpp
    advise/python_frames.cpp
    advise/marked_regions.cpp advise/hooks_setup.cpp advise/hooks_c.cpp advise/hooks_fortran.cpp)
  string(TOUPPER ${abi} upper)
  target_compile_definitions(weft_advise_${abi} PRIVATE WEFT_ABI_${upper})
  target_link_libraries(weft_advise_${abi} PRIVATE advise_core)
  weft_compile(-O2 weft_advise_${abi})
  add_dependencies(weft_advise weft_advise_${abi})
endforeach()
