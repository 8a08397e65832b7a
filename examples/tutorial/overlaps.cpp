// SPDX-License-Identifier: BSD-3-Clause
//
// docs/tutorial.md, stages 2 and 3: rows that need nothing from other ranks are computed between ready and wait, with
// progress calls meanwhile.
#include "settings.hpp"
#include "tube.hpp"
#include "weft/weft.hpp"

int spread(weft::mpi::Communicator& world, const Settings& settings) {
  const int rank = world.rank(), ranks = world.size();
  const int up = (rank + ranks - 1) % ranks, down = (rank + 1) % ranks;
  Tube heat(settings.rows, settings.columns, rank, ranks, 0.2);

  // [progress]
  const auto progress =
      std::make_shared<weft::Progress>(world, weft::ProgressOptions{.kind = weft::progress_kind(settings.progress)});
  weft::Exchange exchange(world, {.progress = progress});
  // [progress end]
  auto& client = exchange.client("heat");
  const auto to_up = client.send(up, 1, weft::contiguous(std::span(heat.top)));
  const auto to_down = client.send(down, 2, weft::contiguous(std::span(heat.bottom)));
  client.receive(down, 1, weft::contiguous(std::span(heat.below)));
  client.receive(up, 2, weft::contiguous(std::span(heat.above)));
  exchange.commit();

  const double start = weft::now_seconds();
  for (int step = 1; step <= settings.steps; ++step) {
    // [step]
    heat.copy_edges();
    auto messages = exchange.start();
    messages.ready(to_up);
    messages.ready(to_down);
    double change = 0;
    const std::size_t last = heat.rows() - 1;
    for (std::size_t i = 1; i < last; ++i) {  // these rows need nothing from other ranks
      change = std::max(change, heat.update(i, i + 1));
      messages.progress();
    }
    messages.wait();
    change = std::max({change, heat.update(0, 1), heat.update(last, last + 1)});
    heat.finish_step();
    // [step end]
    double largest = 0;
    MPI_Allreduce(&change, &largest, 1, MPI_DOUBLE, MPI_MAX, world.handle());
    if (rank == 0 && step % 100 == 0) print_change(step, largest);
  }
  const double seconds = weft::now_seconds() - start;

  const auto all = weft::all_reduce(world, heat.fingerprint(), weft::sum<std::uint64_t>());
  if (rank == 0) {
    print_end("heat", all);
    print_time(seconds, settings);
  }
  return 0;
}

int main(int argc, char** argv) {
  return weft::main(argc, argv, [&](weft::mpi::Communicator& world) {
    Settings settings;
    return read(argc, argv, world.rank(), world.size(), settings) ? spread(world, settings) : 2;
  });
}
