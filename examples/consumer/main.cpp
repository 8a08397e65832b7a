// SPDX-License-Identifier: BSD-3-Clause
//
// A program outside of this repository that uses an installed weft: every rank sends its number to its right neighbour.
#include <cstdio>
#include <span>

#include <weft/weft.hpp>

int main(int argc, char** argv) {
  return weft::main(argc, argv, [](weft::mpi::Communicator& world) {
    const int right = (world.rank() + 1) % world.size(), left = (world.rank() + world.size() - 1) % world.size();
    const int mine = world.rank();
    int from_left = -1, total = -1;

    weft::Exchange exchange(world);
    auto& ring = exchange.client("ring");
    const auto out = ring.send(right, 1, weft::contiguous(std::span(&mine, 1)));
    ring.receive(left, 1, weft::contiguous(std::span(&from_left, 1)));
    const auto sum = ring.all_reduce(std::span(&mine, 1), std::span(&total, 1), weft::sum<int>());
    exchange.commit();
    auto messages = exchange.start();
    messages.ready(out);
    messages.ready(sum);
    messages.wait();

    const bool right_here = from_left == left && total == world.size() * (world.size() - 1) / 2;
    const bool right_everywhere = weft::all_reduce(world, int{right_here}, weft::minimum<int>()) == 1;
    if (world.rank() == 0)
      std::printf("%d ranks, sum %d: %s\n", world.size(), total, right_everywhere ? "right" : "wrong");
    return right_everywhere ? 0 : 1;
  });
}
