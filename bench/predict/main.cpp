// SPDX-License-Identifier: BSD-3-Clause
#include "predict/command.hpp"

int main(int argc, char** argv) {
  return weft::command_line::run_command(argc, argv, "predict", weft::predict::add_predict);
}
