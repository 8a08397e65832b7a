// SPDX-License-Identifier: BSD-3-Clause
//
// docs/howto/pipeline.md: a loop whose every iteration ends in an all-reduce. It is cut into tiles: the all-reduce of a
// tile is in flight while the next tiles are computed.
#include <cmath>
#include <cstdio>
#include <vector>

#include "weft/weft.hpp"

int spectrum(weft::mpi::Communicator& world) {
  // [pipeline]
  constexpr std::size_t waves = 96;  // each is a sum over all samples, which are distributed
  const std::size_t rank = static_cast<std::size_t>(world.rank()), ranks = static_cast<std::size_t>(world.size());
  const std::size_t first = 60000 * rank / ranks, last = 60000 * (rank + 1) / ranks;
  std::vector<double> power(waves);
  struct Sums {
    std::vector<double> mine, all;
  };
  const weft::PipelineOptions options{.tile = 8, .window = 2, .tiles = waves / 8};
  weft::pipeline<Sums>(
      world, waves, options,
      [&](const weft::Tile& tile, Sums& sums) {  // compute
        sums.mine.assign(tile.count, 0);
        for (std::size_t k = 0; k < tile.count; ++k) {
          for (std::size_t i = first; i < last; ++i)
            sums.mine[k] += std::cos(1e-3 * static_cast<double>((tile.first + k) * i));
          tile.progress();
        }
      },
      [&](const weft::Tile& tile, Sums& sums) {  // communicate: start, don't wait
        sums.all.resize(tile.count);
        MPI_Request request;
        MPI_Iallreduce(sums.mine.data(), sums.all.data(), static_cast<int>(tile.count), MPI_DOUBLE, MPI_SUM,
                       world.handle(), &request);
        return request;
      },
      [&](const weft::Tile& tile, Sums& sums) {  // consume
        for (std::size_t k = 0; k < tile.count; ++k) power[tile.first + k] = sums.all[k] * sums.all[k];
      });
  // [pipeline end]
  double total = 0;
  for (const double p : power) total += p;
  if (world.rank() == 0) std::printf("power of %zu waves: %.6e\n", waves, total);
  return 0;
}

int main(int argc, char** argv) { return weft::main(argc, argv, spectrum); }
