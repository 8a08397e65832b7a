// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "command_line/command.hpp"

namespace weft::bench {

void add_bench_collectives(CLI::App& bench, command_line::Action& action);
/// Benchmarks that also run on simulated machines: synthetic steps, halos and pipelines.
void add_bench_models(CLI::App& bench, command_line::Action& action);
void add_bench_foreign(CLI::App& bench, command_line::Action& action);
void add_bench_robustness(CLI::App& bench, command_line::Action& action);

/// The whole `weft bench foreign`, without MPI: argv[1] is "foreign". Returns the exit status.
int run_foreign(int argc, char** argv);

}  // namespace weft::bench
