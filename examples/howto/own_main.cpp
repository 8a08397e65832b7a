// SPDX-License-Identifier: BSD-3-Clause
//
// docs/howto/own-main.md: weft in a program that initialises MPI by itself and communicates in groups of ranks.
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <optional>
#include <span>

#include "weft/weft.hpp"

// The sum of the ranks' numbers in a group, by passing them around the group's ring.
int sum_around(weft::Transport& group) {
  const int right = (group.rank() + 1) % group.size(), left = (group.rank() + group.size() - 1) % group.size();
  int mine = group.rank(), from_left = 0, sum = 0;
  weft::Exchange exchange(group);
  auto& ring = exchange.client("ring");
  const auto out = ring.send(right, 1, weft::contiguous(std::span<const int>(&mine, 1)));
  ring.receive(left, 1, weft::contiguous(std::span(&from_left, 1)));
  exchange.commit();
  for (int i = 0; i < group.size(); ++i) {
    auto messages = exchange.start();
    messages.ready(out);
    messages.wait();
    mine = from_left;
    sum += mine;
  }
  return sum;
}

// [main]
int main(int argc, char** argv) {
  int provided = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);  // for a progress thread: MPI_THREAD_MULTIPLE
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  std::optional<weft::mpi::Communicator> group;  // outside of try, since its destruction is collective
  try {
    MPI_Comm ranks;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &ranks);  // any communicator: here the even and the odd ranks
    group.emplace(ranks);                                    // duplicates it
    MPI_Comm_free(&ranks);
    std::printf("rank %d: the sum in its group is %d\n", rank, sum_around(*group));
  } catch (const std::exception& error) {  // if this rank only ended, the other ranks would wait for it forever
    std::fprintf(stderr, "%s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  group.reset();  // every object of weft is destroyed before MPI_Finalize
  MPI_Finalize();
  return 0;
}
// [main end]
