// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "bench/shared/report.hpp"
#include "weft/progress/progress.hpp"
#include "weft/transport/transport.hpp"

namespace weft::bench {

struct MonitorBenchOptions : TimedOptions {
  std::filesystem::path case_file;                    ///< case of a vessel; empty: straight synthetic vessels
  std::vector<std::int64_t> sites = {50000, 200000};  ///< approximate sites of these; the figures are of the last one
  ProgressOptions::Kind progress = ProgressOptions::Kind::polling;
};

/// The cost of `weft flow`'s monitors in every step: incompressibility, stability, convergence and flow rates, by MPI's
/// non-blocking and blocking all-reduce, by weft's own rounds within the step, and by HemeLB's tree with one round per
/// step; compared with the same steps without monitors, and with monitors that do not communicate. Entropy, which needs
/// logarithms, is measured separately. All interleaved, on one lattice. Collective.
void monitors(Transport& transport, const MonitorBenchOptions& options);

}  // namespace weft::bench
