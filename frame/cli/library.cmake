# SPDX-License-Identifier: BSD-3-Clause
# `weft`, which runs the other programs.
weft_command(weft SOURCES cli/main.cpp)
set_target_properties(weft_cli PROPERTIES OUTPUT_NAME weft)
