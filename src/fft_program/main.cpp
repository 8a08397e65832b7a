// SPDX-License-Identifier: BSD-3-Clause
#include "fft_program/command.hpp"

int main(int argc, char** argv) { return weft::program::run_command(argc, argv, "fft", weft::fft_program::add_fft); }
