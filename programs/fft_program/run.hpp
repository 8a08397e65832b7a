// SPDX-License-Identifier: BSD-3-Clause
//
// The program `weft fft`: the transform of a field in a file, and its energy spectrum. The transform is in core/fft;
// this program reads and writes the files.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "fft/fft.hpp"
#include "program/run_settings.hpp"
#include "weft/mpi/communicator.hpp"

namespace weft::fft_program {

struct RunOptions {
  std::filesystem::path input, output, spectrum;  ///< output, spectrum: empty for none
  std::vector<std::string> datasets{};            ///< of the input; none: a raw file
  std::vector<std::string> output_datasets{};     ///< one for each; none: "spectrum", or of several fields their names
  std::optional<fft::Size3> size{};               ///< of the field, also if the input is its spectrum
  std::string type{};                             ///< of the field: f32, f64, c64, c128; empty: as in the HDF5 dataset
  bool inverse = false;
  bool force = false;  ///< replaces an existing output, or the dataset of an existing HDF5 file
  fft::Options transform{};
  program::RunSettings settings{};  ///< tuning chooses tile, window and progress, which are then ignored in `transform`
};

/// Reads a field (or a spectrum), transforms it, writes the requested outputs, and prints on rank 0 the duration of
/// each stage and the overlap table. Collective. Throws InputError.
void run(mpi::Communicator& world, const RunOptions& options);

}  // namespace weft::fft_program
