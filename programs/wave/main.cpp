// SPDX-License-Identifier: BSD-3-Clause
#include "wave/command.hpp"

int main(int argc, char** argv) { return weft::command_line::run_command(argc, argv, "wave", weft::wave::add_wave); }
