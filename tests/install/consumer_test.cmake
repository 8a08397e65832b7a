# SPDX-License-Identifier: BSD-3-Clause
# The install test as a script; tests/install/CMakeLists.txt gives it its variables.
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}: ${status}")
  endif()
endfunction()

set(prefix ${WORK_DIR}/prefix)
file(REMOVE_RECURSE ${prefix} ${WORK_DIR}/build)
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${prefix})

message(STATUS "by find_package")
run(${CMAKE_COMMAND} -S ${SOURCE_DIR}/examples/consumer -B ${WORK_DIR}/build -G ${GENERATOR}
  -D CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_PREFIX_PATH=${prefix} -D CMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${MPIRUN} 2 ${WORK_DIR}/build/consumer)

find_program(PKG_CONFIG NAMES pkg-config pkgconf)
if(NOT PKG_CONFIG)
  message(STATUS "no pkg-config: that half is left out")
  return()
endif()
message(STATUS "by pkg-config, from a prefix that was moved")
file(REMOVE_RECURSE ${WORK_DIR}/moved)
file(RENAME ${prefix} ${WORK_DIR}/moved)
file(GLOB_RECURSE pc ${WORK_DIR}/moved/*/weft.pc)
cmake_path(GET pc PARENT_PATH pc_dir)
set(ENV{PKG_CONFIG_PATH} ${pc_dir})
run(sh -euc "$('${PKG_CONFIG}' --variable=mpicxx weft) '${SOURCE_DIR}/examples/consumer/main.cpp' \
  -o '${WORK_DIR}/by_pkg_config' $('${PKG_CONFIG}' --cflags --libs weft)")
run(${MPIRUN} 2 ${WORK_DIR}/by_pkg_config)
