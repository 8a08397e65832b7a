// SPDX-License-Identifier: BSD-3-Clause
#include "flow/command/command.hpp"

int main(int argc, char** argv) { return weft::command_line::run_command(argc, argv, "flow", weft::flow::add_flow); }
