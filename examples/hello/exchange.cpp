// SPDX-License-Identifier: BSD-3-Clause
#include <weft/weft.hpp>

#include <algorithm>
#include <cstdio>
#include <numeric>
#include <span>
#include <vector>

int stream(weft::Transport& world) {
  constexpr std::size_t rows = 256, cells = 1024;  // of this rank; row 0 is a copy of the left neighbour's last row
  const int right = (world.rank() + 1) % world.size(), left = (world.rank() + world.size() - 1) % world.size();
  std::vector<double> now((rows + 1) * cells, world.rank() == 0 ? 1 : 0), next(now);
  const auto row = [&](std::size_t i) { return std::span(now).subspan(i * cells, cells); };
  const auto compute = [&](std::size_t i) {  // needs the rows i - 1 and i
    for (std::size_t j = i * cells; j < (i + 1) * cells; ++j) next[j] = now[j] + 0.5 * (now[j - cells] - now[j]);
  };

  weft::Exchange exchange(world);
  auto& dye = exchange.client("dye");  // a client: a module of the program
  const auto out = dye.send(right, 1, weft::contiguous(row(rows)));
  dye.receive(left, 1, weft::contiguous(row(0)));
  exchange.commit();  // compares both ends of every message
  for (int step = 0; step < 20; ++step) {
    auto messages = exchange.start();          // posts all receives
    messages.ready(out);                       // row 256 is complete: it is sent
    for (std::size_t i = 2; i <= rows; ++i) {  // these rows need nothing from other ranks
      compute(i);
      messages.progress();  // lets MPI make progress; never waits
    }
    messages.wait();  // row 0 has arrived
    compute(1);
    std::copy(next.begin() + cells, next.end(), now.begin() + cells);
  }
  const double all = weft::all_reduce(world, std::accumulate(now.begin() + cells, now.end(), 0.0), weft::sum<double>());
  if (world.rank() == 0) std::printf("dye in all rows: %.6f\n", all);
  return 0;
}

int main(int argc, char** argv) { return weft::main(argc, argv, stream); }
