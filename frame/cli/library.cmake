# SPDX-License-Identifier: BSD-3-Clause
# `weft`, which runs the other programs, and the two programs that write cases for `weft flow`.
weft_command(weft SOURCES cli/main.cpp cli/tune.cpp)
set_target_properties(weft_cli PROPERTIES OUTPUT_NAME weft)
if(TARGET weft_flow)
  weft_command(import SOURCES cli/import.cpp LIBRARIES weft_flow weft_hemelb)
  weft_command(openings SOURCES cli/openings.cpp LIBRARIES weft_flow weft_openings)
endif()
