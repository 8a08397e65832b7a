// SPDX-License-Identifier: BSD-3-Clause
#include "pack/command.hpp"

int main(int argc, char** argv) {
  return weft::command_line::run_command(argc, argv, "unpack", weft::pack::add_unpack);
}
