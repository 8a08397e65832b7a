// SPDX-License-Identifier: BSD-3-Clause
//
// The benchmarks that need only the core, as smpirun starts them: a rank is an actor of the simulator, in one process
// with all.
#include <CLI/CLI.hpp>

#include "bench/command/subcommands.hpp"
#include "weft/error.hpp"
#include "weft/mpi/main.hpp"
#include "weft/simulated.hpp"

extern "C" [[gnu::visibility("default")]] int main(int argc, char** argv) {
  return weft::main(
      argc, argv,
      [&](weft::mpi::Communicator& world) {
        CLI::App program("weft on a simulated machine. Start it with tools/simulate.", "weft-simulated");
        program.require_subcommand(0, 1);
        double copy_rate = 0;
        program.add_option("--copy-rate", copy_rate, "bytes a second that a rank packs or unpacks; 0: at once")
            ->check(CLI::NonNegativeNumber);
        weft::simulated::Network cards;
        auto* numbers = program.add_option_group("a network of cards, instead of SimGrid's flows");
        const auto number = [&](const char* name, auto& value, const char* about) {
          numbers->add_option(name, value, about)->check(CLI::NonNegativeNumber);
        };
        number("--latency", cards.latency, "between nodes, in seconds");
        auto* rate =
            numbers->add_option("--card-rate", cards.rate, "bytes a second of a node each way; given: there are cards")
                ->check(CLI::PositiveNumber);
        number("--near-latency", cards.near_latency, "within a node");
        numbers->add_option("--near-rate", cards.near_rate, "bytes a second of a message within a node")
            ->needs(rate)
            ->check(CLI::PositiveNumber);
        number("--call", cards.call, "processor time of each send and receive");
        number("--test", cards.test, "and of each test");
        number("--eager", cards.eager, "bytes; larger messages wait for their receiver");
        numbers->add_option("--node-ranks", cards.ranks_of_a_node, "ranks of a node")->check(CLI::PositiveNumber);
        numbers->add_flag("--progress-in-calls", cards.progress_in_calls,
                          "larger messages meet only while their ranks are in a call");
        weft::command_line::Action action;
        auto* bench = program.add_subcommand("bench", "benchmarks");
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
        if (!action) throw weft::InputError("nothing to do (a subcommand is missing). see --help.", true);
        weft::simulated::set_copy_rate(copy_rate);
        if (cards.near_rate == 0) cards.near_rate = cards.rate;
        if (cards.rate > 0) weft::simulated::set_network(cards);
        return action(world);
      },
      false);
}
