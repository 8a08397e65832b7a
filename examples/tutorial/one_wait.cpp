// SPDX-License-Identifier: BSD-3-Clause
//
// docs/tutorial.md, stage 4: the reduction shares the exchange of the rows, one step late, and each step waits once.
#include "settings.hpp"
#include "tube.hpp"
#include "weft/weft.hpp"

int spread(weft::mpi::Communicator& world, const Settings& settings) {
  const int rank = world.rank(), ranks = world.size();
  const int up = (rank + ranks - 1) % ranks, down = (rank + 1) % ranks;
  Tube heat(settings.rows, settings.columns, rank, ranks, 0.2);

  const auto progress =
      std::make_shared<weft::Progress>(world, weft::ProgressOptions{.kind = weft::progress_kind(settings.progress)});
  weft::Exchange exchange(world, {.progress = progress});
  auto& client = exchange.client("heat");
  const auto to_up = client.send(up, 1, weft::contiguous(std::span(heat.top)));
  const auto to_down = client.send(down, 2, weft::contiguous(std::span(heat.bottom)));
  client.receive(down, 1, weft::contiguous(std::span(heat.below)));
  client.receive(up, 2, weft::contiguous(std::span(heat.above)));
  // [list]
  double change = 0, largest = 0;  // local maximum of the previous step; global maximum
  const auto reduce =
      client.all_reduce(std::span<const double>(&change, 1), std::span(&largest, 1), weft::maximum<double>());
  // [list end]
  exchange.commit();

  const double start = weft::now_seconds();
  for (int step = 1; step <= settings.steps; ++step) {
    // [step]
    heat.copy_edges();
    auto messages = exchange.start();
    for (const auto part : {to_up, to_down}) messages.ready(part);
    messages.ready(reduce);
    double next_change = 0;  // the reduction reads `change`: don't write to it
    const std::size_t last = heat.rows() - 1;
    for (std::size_t i = 1; i < last; ++i) {
      next_change = std::max(next_change, heat.update(i, i + 1));
      messages.progress();
    }
    messages.wait();
    change = std::max({next_change, heat.update(0, 1), heat.update(last, last + 1)});
    heat.finish_step();
    if (rank == 0 && step > 1 && (step - 1) % 100 == 0) print_change(step - 1, largest);
    // [step end]
  }
  const double seconds = weft::now_seconds() - start;
  // [last]
  largest = weft::all_reduce(world, change, weft::maximum<double>());
  if (rank == 0 && settings.steps % 100 == 0) print_change(settings.steps, largest);
  // [last end]

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
