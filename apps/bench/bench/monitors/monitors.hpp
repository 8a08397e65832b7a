// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "bench/shared/report.hpp"
#include "weft/progress/progress.hpp"
#include "weft/transport/transport.hpp"

namespace weft::bench {

struct MonitorBenchOptions : Options {
  std::filesystem::path case_file;                    ///< a vessel to run; empty: straight synthetic ones
  std::vector<std::int64_t> sites = {50000, 200000};  ///< of these, about; the last one's figures are reported
  ProgressOptions::Kind progress = ProgressOptions::Kind::polling;
  double seconds = 0;  ///< of measuring; 0: 24 if quick, else 120
};

/// What it costs `weft flow` to know itself in every step: incompressibility, stability, convergence and flow rates, by
/// MPI's non-blocking and blocking all-reduce, by rounds of our own within the step, and by HemeLB's tree, one round a
/// step; beside the same steps without monitors, and with monitors that look but tell nobody. Entropy, which needs
/// logarithms, apart. All in turns, on one lattice. Collective.
void monitors(Transport& transport, const MonitorBenchOptions& options);

}  // namespace weft::bench
