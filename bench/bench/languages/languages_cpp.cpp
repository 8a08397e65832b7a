// SPDX-License-Identifier: BSD-3-Clause
#include <mpi.h>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "bench/languages/workloads.h"
#include "weft/exchange/message_space.hpp"
#include "weft/halo/halo_exchange.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/step/step_manager.hpp"

namespace weft::bench {
namespace {

// The ranks of a ring, and what they send: numbers in pieces of one size.
struct Ring {
  Ring(const Transport& world, int pieces, std::size_t numbers)
      : right((world.rank() + 1) % world.size()), left((world.rank() + world.size() - 1) % world.size()),
        count(static_cast<std::size_t>(pieces)), size(numbers), out(count * size, world.rank() + 1.0),
        in(count * size) {}
  std::span<const double> sent(std::size_t i) const { return std::span(out).subspan(i * size, size); }
  std::span<double> received(std::size_t i) { return std::span(in).subspan(i * size, size); }

  int right, left;
  std::size_t count, size;
  std::vector<double> out, in;
};

struct RingClient : Client {
  explicit RingClient(const Ring& r) : ring(r) {}
  void request(Requests& list) override {
    for (std::size_t i = 0; i < ring.count; ++i) {
      sends.push_back(list.send(ring.right, i, contiguous(ring.sent(i))));
      list.receive(ring.left, i, contiguous(ring.received(i)));
    }
  }
  void before(Step& step) override {
    for (const auto part : sends) step.ready(part);
  }
  void during(Step& step) override { step.progress(); }
  void after(Step& /*step*/) override {
    sum = 0;
    for (const auto number : ring.in) sum += number;
  }

  Ring ring;
  std::vector<SendPart> sends;
  double sum = 0;
};

struct Workloads {
  Workloads(double* memory, std::size_t points, int step_parts, int commit_parts)
      : grid(grid_of(points)), field(memory), client(Ring(world, step_parts / 2, WEFT_BENCH_NUMBERS)),
        many(world, commit_parts / 2, 1) {
    Halo halo(grid);
    halo.add(scalar(field, Order::column_major));
    ghosts = std::make_unique<HaloExchange>(world, halo);
    manager.add("ring", client);
  }

  CartesianGrid grid_of(std::size_t points) const {
    const auto n = static_cast<std::size_t>(world.size());
    return {
        world,
        {.extent = {n * points, points, points}, .processes = {world.size(), 1, 1}, .periodic = {true, true, true}}};
  }

  void commit() {
    Exchange exchange(space);
    auto& list = exchange.client("many");
    for (std::size_t i = 0; i < many.count; ++i) {
      list.send(many.right, i, contiguous(many.sent(i)));
      list.receive(many.left, i, contiguous(many.received(i)));
    }
    exchange.commit();
  }

  mpi::Communicator world{MPI_COMM_WORLD};
  CartesianGrid grid;
  double* field;
  std::unique_ptr<HaloExchange> ghosts;
  RingClient client;
  StepManager manager{world};
  Ring many;
  MessageSpace space{world};
};

Workloads& of(void* workloads) { return *static_cast<Workloads*>(workloads); }

}  // namespace

extern "C" {

void* weft_bench_make_cpp(double* field, int points, int step_parts, int commit_parts) {
  return new Workloads(field, static_cast<std::size_t>(points), step_parts, commit_parts);
}

double weft_bench_halo_cpp(void* workloads) {
  of(workloads).ghosts->start();
  of(workloads).ghosts->finish();
  return *of(workloads).field;
}

double weft_bench_step_cpp(void* workloads) {
  of(workloads).manager.run_step();
  return of(workloads).client.sum;
}

void weft_bench_commit_cpp(void* workloads) { of(workloads).commit(); }

void weft_bench_free_cpp(void* workloads) { delete &of(workloads); }

}  // extern "C"

}  // namespace weft::bench
