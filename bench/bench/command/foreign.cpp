// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "bench/command/form.hpp"
#include "bench/command/subcommands.hpp"
#include "bench/foreign/foreign.hpp"
#include "weft/error.hpp"

namespace weft::bench {
namespace {

Form<ForeignOptions> foreign_form(CLI::App& bench, command_line::Action& action) {
  Form<ForeignOptions> form(
      bench, action, "foreign",
      "Measures what libweft_advise costs MPI programs that do not use weft, and what its progress thread gains.");
  auto& o = form.options;
  form.command->footer(
      "Examples:\n"
      "  weft bench foreign --quick\n"
      "  weft bench foreign --launcher 'mpirun -n 4' --json foreign.json -- ./program input\n"
      "Documentation: docs/bench.md");
  form.add("--launcher", o.launcher, "command that starts an MPI program; default: mpirun -n 2");
  form.add("--only", o.names, "programs to measure: exchange, jacobi, pingpong; default: all, quick without pingpong",
           CLI::IsMember(subjects()));
  form.add("--repeats", o.repeats, "runs of each kind; default: 5, quick 1", CLI::Range(1, 1000));
  form.add("--seconds", o.seconds, "approximate duration of a plain run in seconds; default: 10, quick 2",
           command_line::positive_number());
  form.command->add_option("PROGRAM", o.program, "another program and its arguments, after --, to measure instead");
  return form;
}

bool is_one_of_several() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_NTASKS"})
    if (const char* value = std::getenv(name); value != nullptr && std::atoi(value) > 1) return true;
  return false;
}

}  // namespace

void add_bench_foreign(CLI::App& bench, command_line::Action& action) {
  foreign_form(bench, action).runs([](mpi::Communicator&, ForeignOptions&) {
    // main() runs `foreign` before MPI starts, if it is the first word
    throw InputError("'foreign' must be the first word after 'bench'. Start it as weft bench foreign [...].", true);
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
    command_line::Action unused;
    const auto form = foreign_form(bench, unused);
    bench.failure_message([](const CLI::App*, const CLI::Error& e) { return std::string(e.what()); });
    try {
      bench.parse(argc, argv);
    } catch (const CLI::Success& e) {
      return bench.exit(e);
    } catch (const CLI::ParseError& e) {
      throw InputError(std::string(e.what()) + ". See weft bench foreign --help.");
    }
    foreign(form.options);
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
