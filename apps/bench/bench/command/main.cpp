// SPDX-License-Identifier: BSD-3-Clause
#include "bench/command/command.hpp"

int main(int argc, char** argv) { return weft::command_line::run_command(argc, argv, "bench", weft::bench::add_bench); }
