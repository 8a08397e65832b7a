// SPDX-License-Identifier: BSD-3-Clause
#include "flow/command/command.hpp"

int main(int argc, char** argv) { return weft::program::run_command(argc, argv, "flow", weft::flow::add_flow); }
