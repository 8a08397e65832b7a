// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "bench/coalesce.hpp"
#include "cli/command.hpp"

namespace weft::cli {
namespace {

void add_form(CLI::App& command, bench::Options& options) {
  command.add_flag("--quick", options.quick, "under 45 s on 2 ranks");
  command.add_option("--json", options.json, "write the report to this file");
}

void add_coalesce(CLI::App& parent, Action& action) {
  struct All : bench::CoalesceOptions {
    std::string progress_name = "polling";
  };
  auto options = std::make_shared<All>();
  auto& o = *options;
  auto* command = parent.add_subcommand("coalesce", "one exchange for all clients against one each");
  add_form(*command, o);
  command->add_option("--case", o.case_file, "the vessel of this case; default: a straight synthetic one");
  command->add_option("--sites", o.sites, "size of the synthetic vessel")->check(CLI::Range(1000, 100000000))->capture_default_str();
  command->add_option("--clients", o.clients, "numbers of further small clients")->delimiter(',')->check(CLI::Range(0, 64))->capture_default_str();
  command->add_option("--bytes", o.bytes, "bytes that each sends to each neighbour")->check(CLI::Range(8, 1 << 24))->capture_default_str();
  command->add_option("--seconds", o.seconds, "time to measure for; default: 120, quick 24")->check(CLI::PositiveNumber);
  command->add_option("--progress", o.progress_name, "who drives messages: passive, polling, thread")->capture_default_str();
  command->callback([&action, options] {
    action = [options](mpi::Communicator& world) {
      options->progress = progress_kind(options->progress_name);
      bench::coalesce(world, *options);
      return 0;
    };
  });
}

}  // namespace

void add_bench(CLI::App& program, Action& action) {
  auto* command = program.add_subcommand("bench", "benchmarks; all share one form");
  command->require_subcommand(1);
  add_coalesce(*command, action);
}

}  // namespace weft::cli
