# SPDX-License-Identifier: BSD-3-Clause
# The kernels for devices, source/weft/device/kernels.cu. With nvcc they are compiled for CUDA now, and their binary (40 KB) is in the
# library. The source is in it in any case, for NVRTC and hiprtc.
#
# nvcc is the one that WEFT_NVCC names (OFF: none), or that of the PyPI package nvidia-cuda-nvcc (13 or later) in the active or the
# project's Python environment, or in PATH.
set(environments $ENV{VIRTUAL_ENV} ${PROJECT_SOURCE_DIR}/.venv)
if(Python_EXECUTABLE)
  cmake_path(GET Python_EXECUTABLE PARENT_PATH folder)
  list(PREPEND environments ${folder}/..)
endif()
list(TRANSFORM environments APPEND "/lib/python3*/site-packages/nvidia/cu*/bin")
file(GLOB folders ${environments})
find_program(WEFT_NVCC nvcc HINTS ${folders} PATHS /usr/local/cuda/bin DOC "nvcc, which compiles the kernels for CUDA; OFF: they are compiled at run time")

set(folder ${CMAKE_CURRENT_SOURCE_DIR}/source/weft/device)
set(binary "")
if(WEFT_NVCC)
  set(binary ${CMAKE_CURRENT_BINARY_DIR}/kernels.fatbin)
  # The registers are listed beside, for the test that compares them with kernels.txt.
  add_custom_command(OUTPUT ${binary} COMMAND sh ${folder}/compile_kernels.sh ${WEFT_NVCC} ${binary}
    DEPENDS ${folder}/compile_kernels.sh ${folder}/kernels.cu ${folder}/kernel_work.hpp COMMENT "Compiling the kernels for CUDA" VERBATIM)
endif()
set(source ${CMAKE_CURRENT_BINARY_DIR}/kernels.cpp)
add_custom_command(OUTPUT ${source}
  COMMAND ${CMAKE_COMMAND} -D FOLDER=${folder} -D BINARY=${binary} -D OUTPUT=${source} -P ${PROJECT_SOURCE_DIR}/cmake/EmbedKernels.cmake
  DEPENDS ${PROJECT_SOURCE_DIR}/cmake/EmbedKernels.cmake ${folder}/kernels.cu ${folder}/kernel_work.hpp ${binary} VERBATIM)
target_sources(weft_core PRIVATE ${source} source/weft/device/compiler.cpp source/weft/device/driver.cpp source/weft/device/gpu.cpp
  source/weft/device/launch.cpp source/weft/device/pinned_pages.cpp)
target_link_libraries(weft_core PRIVATE ${CMAKE_DL_LIBS})
