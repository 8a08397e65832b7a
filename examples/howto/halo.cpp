// SPDX-License-Identifier: BSD-3-Clause
//
// docs/howto/halo.md: a block of a 3-D grid with ghost points on each side, which are filled while the interior is
// computed. The output is the same on any number of ranks.
#include <bit>
#include <cinttypes>
#include <cstdio>
#include <utility>
#include <vector>

#include "weft/weft.hpp"

int smooth(weft::mpi::Communicator& world) {
  // [halo]
  const weft::CartesianGrid grid(world, {.extent = {48, 40, 32}, .periodic = {true, true, true}});
  const auto block = grid.block();  // my points; the arrays have one more ghost point on each side:
  const weft::Index size = {block.count[0] + 2, block.count[1] + 2, block.count[2] + 2};
  std::vector<double> now(size[0] * size[1] * size[2]), next(now.size());

  weft::Halo halo(grid, {.width = 1, .payload = weft::HaloOptions::Payload::directions});
  auto field = weft::scalar(now.data());  // row-major: the last axis is contiguous
  field.reads = weft::reads_faces();      // the stencil reads across faces only: 6 messages instead of 26
  field.moves = true;                     // each step swaps the array with `next`
  halo.add(field);
  weft::HaloExchange exchange(world, halo);
  // [halo end]

  const auto at = [&](std::size_t x, std::size_t y, std::size_t z) { return (x * size[1] + y) * size[2] + z; };
  for (std::size_t x = 0; x < block.count[0]; ++x)
    for (std::size_t y = 0; y < block.count[1]; ++y)
      for (std::size_t z = 0; z < block.count[2]; ++z)
        now[at(x + 1, y + 1, z + 1)] = static_cast<double>(
            ((block.first[0] + x) * 31 + (block.first[1] + y) * 17 + (block.first[2] + z) * 7) % 101);

  // [steps]
  const auto row = [&](std::size_t x, std::size_t y, std::size_t first, std::size_t count) {
    for (std::size_t i = at(x, y, first); i < at(x, y, first + count); ++i)
      next[i] = (now[i - 1] + now[i + 1] + now[i - size[2]] + now[i + size[2]] + now[i - size[1] * size[2]] +
                 now[i + size[1] * size[2]]) /
                6;
  };
  const auto compute = [&](const weft::Box& box) {  // indices count from the block's first point
    for (std::size_t x = 1; x <= box.count[0]; ++x) {
      for (std::size_t y = 1; y <= box.count[1]; ++y)
        row(box.first[0] + x, box.first[1] + y, box.first[2] + 1, box.count[2]);
      exchange.progress();
    }
  };
  for (int step = 0; step < 20; ++step) {
    exchange.start();
    compute(halo.interior());
    exchange.finish();
    for (const auto& box : halo.boundary()) compute(box);
    std::swap(now, next);
    exchange.rebind(0, now.data());  // the next start uses this array for field 0
  }
  // [steps end]

  std::uint64_t sum = 0;
  for (std::size_t x = 0; x < block.count[0]; ++x)
    for (std::size_t y = 0; y < block.count[1]; ++y)
      for (std::size_t z = 0; z < block.count[2]; ++z) {
        const auto number = ((block.first[0] + x) * 40 + block.first[1] + y) * 32 + block.first[2] + z;
        sum += std::bit_cast<std::uint64_t>(now[at(x + 1, y + 1, z + 1)]) * (2 * number + 1);
      }
  const auto all = weft::all_reduce(world, sum, weft::sum<std::uint64_t>());
  if (world.rank() == 0) std::printf("all points: %016" PRIx64 "\n", all);
  return 0;
}

int main(int argc, char** argv) { return weft::main(argc, argv, smooth); }
