// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bench/command/form.hpp"
#include "bench/command/subcommands.hpp"
#include "bench/foreign/foreign.hpp"
#include "bench/foreign/subject.hpp"
#include "command_line/number_check.hpp"
#include "weft/error.hpp"

namespace weft::bench {
namespace {

CLI::App* add_options(CLI::App& parent, ForeignOptions& o) {
  auto* command = parent.add_subcommand(
      "foreign",
      "Measures what libweft_advise costs MPI programs that do not use weft, and what its progress thread gains.");
  add_form(*command, o);
  command->footer(
      "Examples:\n"
      "  weft bench foreign --quick\n"
      "  weft bench foreign --launcher 'mpirun -n 4' --json foreign.json -- ./program input\n"
      "Documentation: docs/bench.md");
  command->add_option("--launcher", o.launcher, "command that starts an MPI program; default: mpirun -n 2");
  command
      ->add_option("--only", o.names,
                   "programs to measure: exchange, jacobi, pingpong; default: all, quick without pingpong")
      ->delimiter(',')
      ->check(CLI::IsMember(subjects()));
  command->add_option("--turns", o.turns, "runs of each kind; default: 5, quick 1")->check(CLI::Range(1, 1000));
  command->add_option("--seconds", o.seconds, "approximate duration of a plain run in seconds; default: 10, quick 2")
      ->check(command_line::positive_number());
  command->add_option("PROGRAM", o.program, "another program and its arguments, after --, to measure instead");
  return command;
}

bool is_one_of_several() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"})
    if (const char* value = std::getenv(name); value != nullptr && std::atoi(value) > 1) return true;
  return false;
}

}  // namespace

void add_bench_foreign(CLI::App& bench, command_line::Action& action) {
  auto options = std::make_shared<ForeignOptions>();
  add_options(bench, *options)->callback([&action, options] {
    action = [options](mpi::Communicator&) -> int {  // main() runs `foreign` before MPI starts, if it is the first word
      throw InputError("'foreign' must be the first word after 'bench'. Start it as weft bench foreign [...].", true);
    };
  });
}

int run_foreign(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() > 2 && words[1] == "--subject") return run_subject({words.begin() + 2, words.end()});
  try {
    if (is_one_of_several())
      throw InputError(
          "This benchmark starts MPI programs itself. Start it without mpirun, and give the launcher with "
          "--launcher.");
    CLI::App bench("Runs a benchmark of weft.", "bench");
    ForeignOptions options;
    add_options(bench, options);
    bench.failure_message([](const CLI::App*, const CLI::Error& e) { return std::string(e.what()); });
    try {
      bench.parse(argc, argv);
    } catch (const CLI::Success& e) {
      return bench.exit(e);
    } catch (const CLI::ParseError& e) {
      throw InputError(std::string(e.what()) + ". See weft bench foreign --help.");
    }
    foreign(options);
    return 0;
  } catch (const InputError& e) {
    std::fprintf(stderr, "weft: error: %s\n", e.what());
    return 2;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "weft: error: %s\n", e.what());
    return 1;
  }
}

}  // namespace weft::bench
