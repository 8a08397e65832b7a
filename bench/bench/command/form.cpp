// SPDX-License-Identifier: BSD-3-Clause
#include "bench/command/form.hpp"

#include <string>

namespace weft::bench {

void add_form(CLI::App& command, bench::Options& options, const std::string& arguments) {
  command.add_flag("--quick", options.quick, "measure for less than 45 s on 2 ranks");
  command.add_option("--json", options.json, "also write the report to this file, as JSON");
  const auto start = "  mpirun -n 2 weft bench " + command.get_name();
  command.footer("Examples:\n" + start + " --quick\n" + start + (arguments.empty() ? "" : " ") + arguments +
                 " --json " + command.get_name() + ".json\nDocumentation: docs/bench.md");
}

}  // namespace weft::bench
