// SPDX-License-Identifier: BSD-3-Clause
//
// The program `weft fft`: transforms a field in a file, and its energy spectrum. The transform is libs/fft; here are
// files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "fft/fft.hpp"
#include "program/run_settings.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::fft_program {

struct RunOptions {
  std::filesystem::path input, output, spectrum;  ///< output, spectrum: empty for none
  std::string dataset, output_dataset = "spectrum";
  std::optional<fft::Size3> size;  ///< of the field, also where the input is its spectrum
  std::string type;                ///< of the field: f32, f64, c64, c128; empty: as the HDF5 dataset says
  bool inverse = false;
  fft::Options transform;
  program::RunSettings settings{};  ///< tuning chooses tile, window and progress, which `transform` then does not say
};

/// Reads a field (or a spectrum), transforms it, writes what was asked for, and tells the time of each stage and what
/// was hidden on rank 0's terminal. Collective. Throws InputError.
void run(mpi::Communicator& world, const RunOptions& options);

}  // namespace weft::fft_program
