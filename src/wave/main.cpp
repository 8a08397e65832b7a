// SPDX-License-Identifier: BSD-3-Clause
#include "wave/command.hpp"

int main(int argc, char** argv) { return weft::program::run_command(argc, argv, "wave", weft::wave::add_wave); }
