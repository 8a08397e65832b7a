// SPDX-License-Identifier: BSD-3-Clause
//
// Uses weft in C++ wrongly, in the way that the argument names (table.py). Prints `EXCEPTION: SENTENCE`.
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "weft/weft.hpp"

namespace {

using World = weft::mpi::Communicator;

int rank = 0;

// Rank 0 prints to stdout and rank 1 to stderr, so that their lines can't mix.
void print(const char* exception, const std::string& sentence) {
  std::fprintf(rank == 0 ? stdout : stderr, "%s\n", (std::string(exception) + ": " + sentence).c_str());
}

// Prints the error of a call that should fail.
void refused(const std::function<void()>& call) {
  try {
    call();
    print("none", "no error");
  } catch (const weft::PeerError& error) {
    print("weft::PeerError", error.what());
  } catch (const weft::InputError& error) {
    print("weft::InputError", error.what());
  } catch (const weft::Error& error) {
    print("weft::Error", error.what());
  } catch (const std::runtime_error& error) {
    print("std::runtime_error", error.what());
  }
}

// Each of the two ranks sends numbers to the other one.
template <class T = double>
struct Ring {
  explicit Ring(World& world, std::size_t received = 4)
      : exchange(world), list(exchange.client("ring")), part(list.send(1 - rank, 1, weft::contiguous(std::span(out)))) {
    list.receive(1 - rank, 1, weft::contiguous(std::span(in).first(received)));
  }
  std::vector<double> out = std::vector<double>(4);
  std::vector<T> in = std::vector<T>(4);
  weft::Exchange exchange;
  weft::Requests& list;
  weft::SendPart part;
};

void wrong_rank_of_array(World& world) {
  Ring ring(world);
  refused([&] { ring.list.send(0, 2, weft::box(ring.out.data(), {4}, {0, 0, 0}, {1, 1, 1})); });
}

void never_made(World&) {
  weft::StartedExchange started;
  refused([&] { started.wait(); });
}

void after_finalize(World& world) {
  Ring ring(world);
  ring.exchange.commit();
  MPI_Finalize();
  refused([&] { auto started = ring.exchange.start(); });
}

void sizes_differ(World& world) {
  Ring ring(world, 3);
  refused([&] { ring.exchange.commit(); });
}

void types_differ(World& world) {
  Ring<std::int64_t> ring(world);
  refused([&] { ring.exchange.commit(); });
}

void no_other_end(World& world) {
  Ring ring(world);
  if (rank == 0) ring.list.send(1, 2, weft::contiguous(std::span(ring.out)));
  refused([&] { ring.exchange.commit(); });
}

void not_committed(World& world) {
  Ring ring(world);
  refused([&] { auto started = ring.exchange.start(); });
}

void not_ready(World& world) {
  Ring ring(world);
  ring.exchange.commit();
  auto started = ring.exchange.start();
  refused([&] { started.wait(); });
  started.ready(ring.part);
  started.wait();
}

void ready_twice(World& world) {
  Ring ring(world);
  ring.exchange.commit();
  auto started = ring.exchange.start();
  started.ready(ring.part);
  refused([&] { started.ready(ring.part); });
  started.wait();
}

void start_twice(World& world) {
  Ring ring(world);
  ring.exchange.commit();
  auto started = ring.exchange.start();
  started.ready(ring.part);
  refused([&] { auto again = ring.exchange.start(); });
  started.wait();
}

void finish_without_start(World& world) {
  const weft::CartesianGrid grid(world, {.extent = {8, 8}});
  std::vector<double> u(100);
  weft::Halo halo(grid);
  halo.add(weft::scalar(u.data()));
  weft::HaloExchange exchange(world, halo);
  refused([&] { exchange.finish(); });
}

void wrong_peer(World& world) {
  Ring ring(world);
  ring.list.send(7, 2, weft::contiguous(std::span(ring.out)));
  refused([&] { ring.exchange.commit(); });
}

void receives_overlap(World& world) {
  Ring ring(world);
  ring.list.send(1 - rank, 2, weft::contiguous(std::span(ring.out)));
  ring.list.receive(1 - rank, 2, weft::contiguous(std::span(ring.in)), {.combine = weft::sum<double>()});
  refused([&] { ring.exchange.commit(); });
}

void nobodys_number(World& world) {
  const std::vector<std::uint64_t> owned(1, rank), wanted(1 - rank, 77);
  refused([&] { weft::Graph(world, owned, wanted); });
}

struct Pressure : weft::Client {
  void request(weft::Requests& list) override {
    list.all_reduce(std::span<const double>(&in, 1), std::span(&out, 1), weft::sum<double>());
  }
  void before(weft::Step&) override {
    if (rank == 1) throw std::runtime_error("The pressure is negative.");
  }
  double in = 0, out = 0;
};

void callback_fails(World& world) {
  Pressure pressure;
  weft::StepManager manager(world);
  manager.add("pressure", pressure);
  refused([&] { manager.run_step(); });
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, void (*)(World&)> cases{{"wrong_rank_of_array", wrong_rank_of_array},
                                                      {"never_made", never_made},
                                                      {"after_finalize", after_finalize},
                                                      {"sizes_differ", sizes_differ},
                                                      {"types_differ", types_differ},
                                                      {"no_other_end", no_other_end},
                                                      {"not_committed", not_committed},
                                                      {"not_ready", not_ready},
                                                      {"ready_twice", ready_twice},
                                                      {"start_twice", start_twice},
                                                      {"finish_without_start", finish_without_start},
                                                      {"wrong_peer", wrong_peer},
                                                      {"receives_overlap", receives_overlap},
                                                      {"nobodys_number", nobodys_number},
                                                      {"callback_fails", callback_fails}};
  int provided = 0, is_finalised = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  {
    World world(MPI_COMM_WORLD);
    rank = world.rank();
    cases.at(argc > 1 ? argv[1] : "")(world);
  }
  MPI_Finalized(&is_finalised);
  if (is_finalised == 0) MPI_Finalize();
}
