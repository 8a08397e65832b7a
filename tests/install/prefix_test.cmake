# SPDX-License-Identifier: BSD-3-Clause
# Installs the build in BUILD_DIR into WORK_DIR/prefix, to which it is moved: the installed tree contains no path of its own.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)
file(REMOVE_RECURSE ${WORK_DIR}/prefix ${WORK_DIR}/first)
run(${CMAKE_COMMAND} --install ${BUILD_DIR} --prefix ${WORK_DIR}/first)
file(RENAME ${WORK_DIR}/first ${WORK_DIR}/prefix)
