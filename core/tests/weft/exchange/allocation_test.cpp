// SPDX-License-Identifier: BSD-3-Clause
//
// Steps allocate no memory: this program counts the calls of operator new, on all threads.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "weft/exchange/exchange.hpp"
#include "weft/mpi/communicator.hpp"
#include "weft/step/step_manager.hpp"
#include "weft/transport/collectives.hpp"

namespace {
std::atomic<bool> counting{false};
std::atomic<int> allocations{0};

void* allocate(std::size_t bytes) {
  if (counting.load(std::memory_order_relaxed)) ++allocations;
  if (void* p = std::malloc(bytes == 0 ? 1 : bytes)) return p;
  throw std::bad_alloc();
}
}  // namespace

void* operator new(std::size_t bytes) { return allocate(bytes); }
void* operator new[](std::size_t bytes) { return allocate(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {  // as std::stable_sort calls it
  if (counting.load(std::memory_order_relaxed)) ++allocations;
  return std::malloc(bytes == 0 ? 1 : bytes);
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }
void operator delete[](void* p, std::size_t) noexcept { std::free(p); }

namespace weft {
namespace {

struct Neighbour : Client {
  explicit Neighbour(const Transport& world) : rank(world.rank()), size(world.size()), out(400), in(400) {}
  void request(Requests& requests) override {
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    for (int round = 0; round < 2; ++round) {
      const auto key = static_cast<Key>(round);
      requests.send(right, 10 + key, box(out.data(), {20, 20}, {1, 3}, {19, 1}), round);
      requests.receive(left, 10 + key, box(in.data(), {20, 20}, {1, 3}, {19, 1}), round);
      requests.send(left, 20 + key, contiguous(std::span(out).first(20)), round);
      requests.receive(right, 20 + key, contiguous(std::span(in).first(20)), round);
      requests.send(right, 30 + key, contiguous(std::span(out).first(5)), round);
      requests.receive(left, 30 + key, contiguous(std::span(in).subspan(205, 5)),
                       {.combine = reduction<double>(std::plus<>()), .round = round});
    }
    requests.all_reduce(std::span<const double>(out).first(2), std::span(in).last(2), sum<double>());
  }
  void during(Step& step) override {
    for (int i = 0; i < 10; ++i) step.progress();
  }
  int rank, size;
  std::vector<double> out, in;
};

TEST(Allocation, steps_do_without) {
  mpi::Communicator world(MPI_COMM_WORLD);
  using Kind = ProgressOptions::Kind;
  for (const auto kind : {Kind::passive, Kind::polling, Kind::thread, Kind::send_receive_threads})
    for (const auto grouping : {Grouping::per_peer, Grouping::per_part})
      for (const bool timed : {false, true}) {
        Timeline timeline;
        Neighbour neighbour(world);
        const auto progress = std::make_shared<Progress>(world, ProgressOptions{.kind = kind});
        Exchange exchange(world, {.messages = {.grouping = grouping,
                                               .watchdog_seconds = 60,
                                               .defer_unpacking = kind == Kind::send_receive_threads},
                                  .progress = progress,
                                  .timeline = timed ? &timeline : nullptr});
        neighbour.request(exchange.client("neighbour"));
        exchange.commit();
        const auto step = [&] {
          auto messages = exchange.start();
          for (int round = 0; round < 2; ++round) {
            messages.ready_all(0, round);
            messages.accept_all(0, round);
            for (int i = 0; i < 10; ++i) messages.progress();
            messages.wait(round);
          }
        };
        for (int i = 0; i < 5; ++i) step();
        allocations = 0;
        counting = true;
        for (int i = 0; i < 50; ++i) step();
        counting = false;
        EXPECT_EQ(allocations, 0) << name_of(kind) << (grouping == Grouping::per_peer ? ", per peer" : ", per part")
                                  << (timed ? ", timed" : "");
      }
}

TEST(Allocation, a_step_manager_does_without) {
  mpi::Communicator world(MPI_COMM_WORLD);
  for (const bool coalesce : {true, false}) {
    Timeline timeline;
    Neighbour first(world), second(world);
    StepManager manager(world, {.coalesce = coalesce, .timeline = &timeline});
    manager.add("first", first);
    manager.add("second", second, {.every = 2});
    for (int i = 0; i < 6; ++i) manager.run_step();
    allocations = 0;
    counting = true;
    for (int i = 0; i < 50; ++i) manager.run_step();
    counting = false;
    EXPECT_EQ(allocations, 0) << (coalesce ? "coalesced" : "not coalesced");
  }
}

}  // namespace
}  // namespace weft
