// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <vector>

#include "bench/shared/report.hpp"
#include "fft/fft.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/tune/tuning.hpp"

namespace weft::bench {

struct FftBenchOptions : TimedOptions {
  std::vector<fft::Size3> sizes;  ///< empty: 64^3, 128^3, 256^3; quick: 64^3, 128^3
  fft::Decomposition decomposition = fft::Decomposition::automatic;
  fft::Effort effort = fft::Effort::measure;
  fft::Carrier carrier = fft::Carrier::messages;
  std::vector<ProgressOptions::Kind> progress{ProgressOptions::Kind::passive, ProgressOptions::Kind::polling,
                                              ProgressOptions::Kind::thread};
  std::size_t tile = 0;  ///< planes; 0: chosen automatically
  std::size_t window = fft::Options::chosen;
  std::optional<Tuning::Options> tune{};  ///< also measure the settings that tuning chooses
};

/// Forward transforms of complex double fields, natural order to natural order: plain MPI, weft blocking, weft
/// pipelined with each progress mode, and FFTW's own MPI transform if it is installed. All interleaved. Collective.
void fft_transforms(mpi::Communicator& world, const FftBenchOptions& options);

}  // namespace weft::bench
