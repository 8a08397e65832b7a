# SPDX-License-Identifier: BSD-3-Clause
# The two programs that write cases for `weft flow`.
weft_command(import SOURCES commands/import.cpp LIBRARIES weft_flow weft_hemelb)
weft_command(openings SOURCES commands/openings.cpp LIBRARIES weft_flow weft_openings)
