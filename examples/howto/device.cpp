// SPDX-License-Identifier: BSD-3-Clause
//
// docs/device.md: waves on a ring of ranks, in memory of a device. It runs on weft's test device, so on any machine;
// with CUDA only the four functions in front change. --forget leaves out an event.
#include <cmath>
#include <cstdio>
#include <cstring>

#include "weft/weft.hpp"

namespace {

using weft::device::TestDevice;

// [kernels]
void fill(TestDevice& gpu, void* stream, double* u, std::size_t n, double phase) {
  gpu.launch(stream, [u = gpu.inside(u), n, phase] {
    for (std::size_t i = 0; i < n; ++i) u[i] = std::sin(phase + static_cast<double>(i));
  });
}
void average(TestDevice& gpu, void* stream, const double* u, double* v, std::size_t first, std::size_t last) {
  gpu.launch(stream, [u = gpu.inside(u), v = gpu.inside(v), first, last] {
    for (std::size_t i = first; i < last; ++i) v[i] = (u[i - 1] + 2 * u[i] + u[i + 1]) / 4;
  });
}
// [kernels end]

int waves(weft::Transport& world, bool forgets) {
  constexpr std::size_t n = 1000;  // values of this rank, between two ghosts
  const auto gpu = TestDevice::make();
  void* const stream = gpu->make_queue();
  void* const other = gpu->make_queue();
  const int rank = world.rank(), ranks = world.size();
  const auto allocate = [&] { return reinterpret_cast<double*>(gpu->allocate((n + 2) * sizeof(double))); };
  double *u = allocate(), *v = allocate();
  fill(*gpu, stream, u, n + 2, static_cast<double>(n) * rank);
  fill(*gpu, stream, v, n + 2, 0);
  // [device]
  weft::Exchange exchange(world);
  auto& client = exchange.client("waves");
  const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
  const auto one = [&](std::size_t i) {  // element i of either array, which the loop swaps
    const auto in = [&](double* array) { return weft::contiguous(std::span(array + i, 1)).on(gpu); };
    return weft::Buffers({in(u), in(v)});
  };
  const auto to_left = client.send(left, 1, one(1)), to_right = client.send(right, 2, one(n));
  client.receive(right, 1, one(n + 1));
  client.receive(left, 2, one(0));
  exchange.commit();
  for (std::size_t step = 0; step < 100; ++step) {
    auto messages = exchange.start(gpu->queue(stream), step);
    const auto writer = gpu->queue(forgets ? other : stream);
    messages.ready(to_left, writer);  // leaves when what `stream` holds now is done; returns at once
    messages.ready(to_right, writer);
    average(*gpu, stream, u, v, 2, n);  // the interior, while the ends travel
    messages.wait(gpu->queue(stream));  // `stream`, not the host, waits for the ghosts
    average(*gpu, stream, u, v, 1, 2);
    average(*gpu, stream, u, v, n, n + 1);
    std::swap(u, v);
  }
  // [device end]
  gpu->synchronize(stream);
  const double* const result = gpu->inside(u);
  double energy = 0;
  for (std::size_t i = 1; i <= n; ++i) energy += result[i] * result[i];
  energy = weft::all_reduce(world, energy, weft::sum<double>());
  if (rank == 0) std::printf("energy %.9f\n", energy);
  for (auto* memory : {u, v}) gpu->free(reinterpret_cast<std::byte*>(memory));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const bool forgets = argc > 1 && std::strcmp(argv[1], "--forget") == 0;
  return weft::main(argc, argv, [&](weft::mpi::Communicator& world) { return waves(world, forgets); });
}
