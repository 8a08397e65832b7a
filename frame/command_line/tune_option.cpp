// SPDX-License-Identifier: BSD-3-Clause
#include "command_line/tune_option.hpp"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace weft::command_line {

void TuneOption::add_to(CLI::App& command, const std::vector<std::string>& chosen) {
  auto* option =
      command.add_flag("--tune{yes}", wish,
                       "uses the fastest communication settings stored for this machine, MPI library, number of ranks "
                       "and problem; measures and stores them if there are none. --tune=again: measures again");
  option->check(CLI::IsMember({"yes", "again"}));
  for (const auto& other : chosen) option->excludes(other);
}

}  // namespace weft::command_line
