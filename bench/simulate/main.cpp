// SPDX-License-Identifier: BSD-3-Clause
//
// The benchmarks that need only the core library, as a program for smpirun: all ranks are actors of the simulator in
// one process.
#include <CLI/CLI.hpp>

#include "bench/command/subcommands.hpp"
#include "weft/error.hpp"
#include "weft/mpi/main.hpp"
#include "weft/simulated.hpp"

extern "C" [[gnu::visibility("default")]] int main(int argc, char** argv) {
  return weft::main(
      argc, argv,
      [&](weft::mpi::Communicator& world) {
        CLI::App program(
            "Runs weft's benchmarks on a simulated machine (SimGrid). Start it with tools/simulate. Documentation: "
            "docs/simulate.md",
            "weft-simulated");
        program.require_subcommand(0, 1);
        double copy_rate = 0;
        program
            .add_option("--copy-rate", copy_rate,
                        "bytes per second that a rank packs or unpacks; 0 (default): packing takes no time")
            ->check(CLI::NonNegativeNumber);
        weft::simulated::Network cards;
        auto* numbers = program.add_option_group("network of cards, instead of SimGrid's flows");
        const auto number = [&](const char* name, auto& value, const char* about) {
          numbers->add_option(name, value, about)->check(CLI::NonNegativeNumber);
        };
        number("--latency", cards.latency, "latency between nodes, in seconds; default: 0");
        auto* rate = numbers
                         ->add_option("--card-rate", cards.rate,
                                      "bytes per second that a node sends, and receives; turns the network of cards on")
                         ->check(CLI::PositiveNumber);
        number("--near-latency", cards.near_latency, "latency within a node, in seconds; default: 0");
        numbers
            ->add_option("--near-rate", cards.near_rate,
                         "bytes per second of a message within a node; default: --card-rate")
            ->needs(rate)
            ->check(CLI::PositiveNumber);
        number("--call", cards.call, "processor time of each send and receive, in seconds; default: 0");
        number("--test", cards.test, "processor time of each test, in seconds; default: 0");
        number("--eager", cards.eager, "eager limit in bytes; larger messages wait for their receiver; default: 0");
        numbers->add_option("--node-ranks", cards.ranks_of_a_node, "ranks per node; default: 1")
            ->check(CLI::PositiveNumber);
        numbers->add_flag("--progress-in-calls", cards.progress_in_calls,
                          "messages above the eager limit make progress only inside MPI calls; default: always");
        weft::command_line::Action action;
        auto* bench = program.add_subcommand("bench", "run one of the benchmarks");
        bench->require_subcommand(1);
        weft::bench::add_bench_collectives(*bench, action);
        weft::bench::add_bench_models(*bench, action);
        try {
          program.parse(argc, argv);
        } catch (const CLI::Success& e) {
          return world.rank() == 0 ? program.exit(e) : 0;
        } catch (const CLI::ParseError& e) {
          throw weft::InputError(std::string(e.what()) + ".", true);
        }
        if (!action) throw weft::InputError("A subcommand is missing. See --help.", true);
        weft::simulated::set_copy_rate(copy_rate);
        if (cards.near_rate == 0) cards.near_rate = cards.rate;
        if (cards.rate > 0) weft::simulated::set_network(cards);
        return action(world);
      },
      false);
}
