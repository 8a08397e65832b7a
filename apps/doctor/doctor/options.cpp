// SPDX-License-Identifier: BSD-3-Clause
#include "doctor/options.hpp"

#include <CLI/CLI.hpp>

#include "weft/error.hpp"

namespace weft::doctor {

std::optional<Options> read_options(int argc, char** argv) {
  Options options;
  CLI::App app(
      "weft doctor: which MPI libraries this machine has, what they do, whether they match, and what to set.\nEnds "
      "with status 0 if "
      "all matches, 1 if something does not.",
      "weft doctor");
  app.set_version_flag("--version", WEFT_VERSION);
  app.add_flag("--json", options.json, "print JSON, for bug reports");
  app.add_option("--seconds", options.seconds, "how long it may take")
      ->check(CLI::Range(1.0, 600.0))
      ->capture_default_str();
  app.add_option("program", options.program, "a program: which MPI library is it loaded with?");
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
