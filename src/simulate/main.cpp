// SPDX-License-Identifier: BSD-3-Clause
//
// The benchmarks that need only the core, as smpirun starts them: a rank is an actor of the simulator, in one process with all.
#include <CLI/CLI.hpp>

#include "cli/command.hpp"
#include "weft/error.hpp"
#include "weft/mpi/main.hpp"
#include "weft/simulated.hpp"

extern "C" [[gnu::visibility("default")]] int main(int argc, char** argv) {
  return weft::main(argc, argv, [&](weft::mpi::Communicator& world) {
    CLI::App program("weft on a simulated machine. Start it with tools/simulate.", "weft-simulated");
    program.require_subcommand(0, 1);
    double copy_rate = 0;
    program.add_option("--copy-rate", copy_rate, "bytes a second that a rank packs or unpacks; 0: at once")->check(CLI::NonNegativeNumber);
    weft::cli::Action action;
    auto* bench = program.add_subcommand("bench", "benchmarks");
    bench->require_subcommand(1);
    weft::cli::add_bench_collectives(*bench, action);
    weft::cli::add_bench_models(*bench, action);
    try {
      program.parse(argc, argv);
    } catch (const CLI::Success& e) {
      return world.rank() == 0 ? program.exit(e) : 0;
    } catch (const CLI::ParseError& e) {
      throw weft::InputError(std::string(e.what()) + ".", true);
    }
    if (!action) throw weft::InputError("nothing to do (a subcommand is missing). see --help.", true);
    weft::simulated::set_copy_rate(copy_rate);
    return action(world);
  }, false);
}
