// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <cstdio>

#include "cli/command.hpp"
#include "weft/error.hpp"
#include "weft/mpi/main.hpp"

int main(int argc, char** argv) {
  return weft::main(argc, argv, [&](weft::mpi::Communicator& world) {
    CLI::App program(
        "weft: communication hidden behind computation.\nStart it with mpirun -n RANKS; without, it runs on one rank.",
        "weft");
    program.require_subcommand(0, 1);  // none is told below, so that an unknown one is named first
    program.set_version_flag("--version", WEFT_VERSION);
    program.failure_message([](const CLI::App* app, const CLI::Error& e) {
      return std::string(e.what()) + " (see " + (app->get_parent() ? "weft " : "") + app->get_name() + " --help)";
    });
    weft::cli::Action action;
    weft::cli::add_flow(program, action);
    weft::cli::add_import(program, action);
    weft::cli::add_openings(program, action);
    weft::cli::add_box(program, action);
    weft::cli::add_pack(program, action);
#if defined(WEFT_HAVE_FFTW)
    weft::cli::add_fft(program, action);
#endif
    weft::cli::add_wave(program, action);
    weft::cli::add_bench(program, action);
    weft::cli::add_predict(program, action);
    weft::cli::add_tune(program, action);
    try {
      program.parse(argc, argv);
    } catch (const CLI::Success& e) {  // help, version: said once
      return world.rank() == 0 ? program.exit(e) : 0;
    } catch (const CLI::ParseError& e) {
      throw weft::InputError(std::string(e.what()) + ". see weft --help.", true);
    }
    if (!action) throw weft::InputError("nothing to do (a subcommand is missing). see weft --help.", true);
    return action(world);
  });
}
