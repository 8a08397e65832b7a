// SPDX-License-Identifier: BSD-3-Clause
#include <string_view>

#include "bench/command/command.hpp"
#include "bench/command/subcommands.hpp"

int main(int argc, char** argv) {
  // foreign starts MPI programs, so it must not initialise MPI itself.
  if (argc > 1 && std::string_view(argv[1]) == "foreign") return weft::bench::run_foreign(argc, argv);
  return weft::command_line::run_command(argc, argv, "bench", weft::bench::add_bench);
}
