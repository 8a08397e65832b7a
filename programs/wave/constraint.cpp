// SPDX-License-Identifier: BSD-3-Clause
#include "wave/constraint.hpp"

#include <algorithm>
#include <limits>

#include "weft/transport/collectives.hpp"

namespace weft::wave {

Constraint::Reading Constraint::solve(Simulation& simulation, double speed, double tolerance) {
  using amr::Poisson;
  constexpr int most_cycles = 50;
  simulation.stepper().refresh();
  const auto& h = simulation.hierarchy();
  if (!poisson_ || regrids_ != simulation.regrids()) {
    poisson_ = std::make_unique<Poisson>(h, simulation.stepper().traffic());
    regrids_ = simulation.regrids();
  }
  const int n = h.shape().n;
  const auto visit = [&](const auto& f) {
    for (int l = 0; l < h.levels(); ++l)
      for (std::size_t b = 0; b < h.local(l).size(); ++b)
        for (int k = 0; k < n; ++k)
          for (int j = 0; j < n; ++j)
            for (int i = 0; i < n; ++i) f(l, h.local(l)[b], poisson_->local(l)[b], i, j, k);
  };
  visit([&](int l, const amr::BlockData& wave, const amr::BlockData& out, int i, int j, int k) {
    const double half = speed / (2 * h.domain().spacing_of(l));
    const double x = half * (wave.cell(u, i + 1, j, k) - wave.cell(u, i - 1, j, k));
    const double y = half * (wave.cell(u, i, j + 1, k) - wave.cell(u, i, j - 1, k));
    const double z = half * (wave.cell(u, i, j, k + 1) - wave.cell(u, i, j, k - 1));
    const double rate = wave.cell(v, i, j, k);
    out.cell(Poisson::f, i, j, k) = 0.5 * (rate * rate + (x * x + (y * y + z * z)));
  });
  for (int l = 0; l < poisson_->hierarchy().levels(); ++l)
    for (const auto& block : poisson_->hierarchy().local(l))
      for (int k = 0; k < n; ++k)
        for (int j = 0; j < n; ++j) std::fill_n(&block.cell(Poisson::phi, 0, j, k), n, 0.0);
  Reading reading;
  reading.solved = poisson_->solve(tolerance, most_cycles);
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  visit([&](int, const amr::BlockData& wave, const amr::BlockData& out, int i, int j, int k) {
    if (h.tree().is_refined(wave.key)) return;
    lowest = smaller(lowest, out.cell(Poisson::phi, i, j, k));
    highest = larger(highest, out.cell(Poisson::phi, i, j, k));
  });
  reading.lowest = all_reduce(h.transport(), lowest, minimum<double>());
  reading.highest = all_reduce(h.transport(), highest, maximum<double>());
  return reading;
}

}  // namespace weft::wave
