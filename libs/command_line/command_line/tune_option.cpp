// SPDX-License-Identifier: BSD-3-Clause
#include "command_line/tune_option.hpp"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace weft::command_line {

void TuneOption::add_to(CLI::App& command, const std::vector<std::string>& chosen) {
  auto* option =
      command.add_flag("--tune{yes}", wish,
                       "use what is stored for this machine, MPI, ranks and problem, else find out and store it; "
                       "--tune=again: find out anew");
  option->check(CLI::IsMember({"yes", "again"}));
  for (const auto& other : chosen) option->excludes(other);
}

}  // namespace weft::command_line
