// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/options.hpp"

#include <CLI/CLI.hpp>

#include "weft/error.hpp"

namespace weft::doctor {

std::optional<Options> read_options(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Lists the MPI libraries of this machine, measures their asynchronous progress, and checks that mpicc, mpirun "
      "and "
      "a program use the same one.",
      "weft doctor");
  app.set_version_flag("--version", WEFT_VERSION);
  app.add_flag("--json", options.json,
               "print the findings and the environment as JSON, for bug reports; default: text");
  app.add_option("--seconds", options.seconds, "time limit in seconds, 1 to 600")
      ->check(CLI::Range(1.0, 600.0))
      ->capture_default_str();
  app.add_option("program", options.program,
                 "path or name of a program; reports the MPI library that it loads, without starting it");
  app.footer(
      "Exit status: 0 if all matches, 1 if something does not, 2 if an option is wrong.\n"
      "Examples:\n"
      "  weft doctor ./program\n"
      "  weft doctor --json --seconds 20 > doctor.json\n"
      "Documentation: docs/doctor.md");
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {
    app.exit(e);
    return std::nullopt;
  } catch (const CLI::ParseError& e) {
    throw InputError(std::string(e.what()) + ". See weft doctor --help.");
  }
  return options;
}

}  // namespace weft::doctor
