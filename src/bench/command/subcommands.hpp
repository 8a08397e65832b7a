// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "program/command.hpp"

namespace weft::bench {

void add_bench_collectives(CLI::App& bench, program::Action& action);
/// What is measured on simulated machines too: synthetic steps, halos and pipelines.
void add_bench_models(CLI::App& bench, program::Action& action);
void add_bench_engine(CLI::App& bench, program::Action& action);
void add_bench_wave(CLI::App& bench, program::Action& action);
void add_bench_robustness(CLI::App& bench, program::Action& action);
/// Where FFTW was there; see cmake/WeftFftw.cmake.
void add_bench_fft(CLI::App& bench, program::Action& action);

}  // namespace weft::bench
