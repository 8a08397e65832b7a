// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "weft/mpi/communicator.hpp"

namespace CLI {
class App;
}

namespace weft::cli {

/// What a subcommand does once its options are read: on all ranks, together; returns the exit status.
using Action = std::function<int(mpi::Communicator&)>;

/// Each adds its subcommand to the program and sets `action` when it is chosen. One file a subcommand.
void add_flow(CLI::App& program, Action& action);
void add_import(CLI::App& program, Action& action);
void add_openings(CLI::App& program, Action& action);
void add_box(CLI::App& program, Action& action);
void add_pack(CLI::App& program, Action& action);
void add_wave(CLI::App& program, Action& action);
void add_bench(CLI::App& program, Action& action);
void add_bench_collectives(CLI::App& bench, Action& action);
/// What is measured on simulated machines too: synthetic steps, halos and pipelines.
void add_bench_models(CLI::App& bench, Action& action);
void add_bench_engine(CLI::App& bench, Action& action);
void add_bench_wave(CLI::App& bench, Action& action);
void add_bench_robustness(CLI::App& bench, Action& action);
void add_predict(CLI::App& program, Action& action);
void add_tune(CLI::App& program, Action& action);
/// Where FFTW was there; see cmake/WeftFftw.cmake.
void add_fft(CLI::App& program, Action& action);
void add_bench_fft(CLI::App& bench, Action& action);

}  // namespace weft::cli
