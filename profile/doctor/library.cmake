# SPDX-License-Identifier: BSD-3-Clause
# `weft doctor` examines this machine's MPI libraries. It is not an MPI program, since it must work where no MPI library works,
# so it is not a weft_command. A small program per ABI opens and measures a library.
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
  message(STATUS "weft doctor is not built: it is for Linux.")
  return()
endif()

add_executable(weft-doctor doctor/main.cpp doctor/process.cpp doctor/machine.cpp doctor/libraries.cpp
  doctor/tools.cpp doctor/measure.cpp doctor/diagnosis.cpp doctor/report_text.cpp doctor/report_json.cpp
  run/executable.cpp)
target_include_directories(weft-doctor PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
target_link_libraries(weft-doctor PRIVATE weft_plain weft_build CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json)
set(libexec ${CMAKE_INSTALL_LIBEXECDIR}/weft)  # beside the folder of the program
if(WEFT_WHEEL)
  set(libexec libexec/weft)
endif()
target_compile_definitions(weft-doctor PRIVATE WEFT_LIBEXEC="${libexec}")
add_dependencies(programs weft-doctor)

foreach(abi openmpi mpich abi)
  set(probe weft-doctor-probe-${abi})
  add_executable(${probe} doctor/probe/main.cpp advise/busy.cpp)
  string(TOUPPER ${abi} upper)
  target_compile_definitions(${probe} PRIVATE WEFT_ABI_${upper})
  target_include_directories(${probe} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/core/include)
  target_link_libraries(${probe} PRIVATE weft_build ${CMAKE_DL_LIBS})
  # In a separate folder, since it is not a command.
  set_target_properties(${probe} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/doctor)
  add_dependencies(weft-doctor ${probe})
  if(NOT WEFT_TESTED_ONLY)
    install(TARGETS ${probe} RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/weft)
  endif()
endforeach()
if(NOT WEFT_TESTED_ONLY)
  install(TARGETS weft-doctor RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
