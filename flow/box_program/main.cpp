// SPDX-License-Identifier: BSD-3-Clause
#include "box_program/command.hpp"

int main(int argc, char** argv) {
  return weft::command_line::run_command(argc, argv, "box", weft::box_program::add_box);
}
