// SPDX-License-Identifier: BSD-3-Clause
//
// Heat spreads in a ring of cells. The halo and the reduction for the largest change of all ranks are in flight while
// the inner cells are computed. Run it with mpirun on any number of ranks that divides 5040: the printed line is the
// same.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <span>
#include <vector>

#include "weft/weft.hpp"

int ring(weft::Transport& world) {
  const int size = world.size(), left = (world.rank() + size - 1) % size, right = (world.rank() + 1) % size;
  const std::size_t n = 5040 / static_cast<std::size_t>(size);  // mine are the cells 1 to n; 0 and n + 1 are halo
  const std::size_t before = n * static_cast<std::size_t>(world.rank());
  std::vector<double> heat(n + 2), next(n + 2);
  for (std::size_t i = 1; i <= n; ++i) heat[i] = before + i <= 2520 ? 1 : 0;
  double change = 1, largest = 1;  // the maximum of my cells; that of all ranks, one step late

  // [ring]
  weft::Exchange exchange(world);
  auto& client = exchange.client("heat");
  const auto cell = [&](std::size_t i) { return weft::contiguous(std::span(&heat[i], 1)); };
  const auto to_left = client.send(left, 1, cell(1)), to_right = client.send(right, 2, cell(n));
  client.receive(right, 1, cell(n + 1));
  client.receive(left, 2, cell(0));
  const auto reduce =
      client.all_reduce(std::span<const double>(&change, 1), std::span(&largest, 1), weft::maximum<double>());
  exchange.commit();  // compares both ends of every message; if they differ, every rank throws an error that names both

  const auto update = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i <= last; ++i) next[i] = heat[i] + 0.25 * (heat[i - 1] - 2 * heat[i] + heat[i + 1]);
  };
  int steps = 0;
  for (; largest > 1e-4; ++steps) {
    auto messages = exchange.start();
    for (const auto part : {to_left, to_right}) messages.ready(part);
    messages.ready(reduce);
    for (std::size_t i = 2; i < n; i += 256) {  // these cells need nothing from other ranks
      update(i, std::min(i + 255, n - 1));
      messages.progress();
    }
    messages.wait();
    update(1, 1);
    update(n, n);
    change = 0;
    for (std::size_t i = 1; i <= n; ++i) change = std::max(change, std::abs(next[i] - heat[i]));
    std::copy(next.begin() + 1, next.end() - 1, heat.begin() + 1);
  }
  // [ring end]
  if (world.rank() == 0) std::printf("%d steps, largest change %.6e\n", steps, largest);
  return 0;
}

int main(int argc, char** argv) { return weft::main(argc, argv, ring); }
