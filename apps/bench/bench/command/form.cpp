// SPDX-License-Identifier: BSD-3-Clause
#include "bench/command/form.hpp"

namespace weft::bench {

void add_form(CLI::App& command, bench::Options& options) {
  command.add_flag("--quick", options.quick, "under 45 s on 2 ranks");
  command.add_option("--json", options.json, "write the report to this file");
}

}  // namespace weft::bench
