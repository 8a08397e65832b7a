// SPDX-License-Identifier: BSD-3-Clause
#include "fft_program/command.hpp"

int main(int argc, char** argv) {
  return weft::command_line::run_command(argc, argv, "fft", weft::fft_program::add_fft);
}
