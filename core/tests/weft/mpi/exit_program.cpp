// SPDX-License-Identifier: BSD-3-Clause
//
// A program that ends in one of several ways with an error, for exit_test.sh.
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <thread>

#include "weft/error.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/mailbox/mailbox.hpp"
#include "weft/mpi/main.hpp"
#include "weft/progress/progress.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/transport/timeout.hpp"

namespace {

using namespace weft;

// An exchange in which every rank waits for every other one.
struct Meeting {
  explicit Meeting(Transport& world, ProgressOptions::Kind kind = ProgressOptions::Kind::thread)
      : data(static_cast<std::size_t>(world.size()) * 100000),
        progress(std::make_shared<Progress>(world, ProgressOptions{.kind = kind})),
        exchange(world, {.progress = progress}) {
    auto& client = exchange.client("meeting");
    for (int r = 0; r < world.size(); ++r) {
      // large: the send needs its receiver (rendezvous protocol)
      client.send(r, 1, contiguous(std::span(data).first(50000)));
      client.receive(r, 1, contiguous(std::span(data).subspan(static_cast<std::size_t>(r) * 100000 + 50000, 50000)));
    }
    client.barrier();
    exchange.commit();
    messages = exchange.start();
  }
  void start_again() { messages = exchange.start(); }
  void finish() {
    messages.ready_all(0, 0);
    messages.wait();
  }
  std::vector<double> data;
  std::shared_ptr<Progress> progress;
  Exchange exchange;
  StartedExchange messages;
};

int run(mpi::Communicator& world, const char* mode) {
  const auto is = [mode](const char* name) { return std::strcmp(mode, name) == 0; };
  const bool last = world.rank() == world.size() - 1;
  if (is("fine")) {
    Meeting(world).finish();
    return 0;
  }
  if (is("status")) return 5;
  if (is("input_error_everywhere")) throw InputError("the input is wrong.", true);
  if (is("error_everywhere"))
    together(world, [&] {
      if (last) throw Error("one rank is wrong.");
    });
  if (is("input_error_everywhere_in_flight")) {
    Meeting meeting(world);
    barrier(world);  // no rank is in commit() or start() when another fails
    throw InputError("the input is wrong.", true);
  }
  if (is("input_error_everywhere_sent")) {  // large messages are in flight, from memory that is destroyed
    Meeting meeting(world);
    barrier(world);
    meeting.messages.ready_all(0, 0);
    meeting.messages.test();
    barrier(world);  // no rank is in test() when another fails
    throw InputError("the input is wrong.", true);
  }
  if (is("caught_and_gone_on")) {  // MPI is then finalised normally
    for (int life = 0; life < 10; ++life) {
      Meeting meeting(world);
      meeting.finish();
      meeting.start_again();
      barrier(world);
      try {
        meeting.messages.ready_all(0, 0);
        if (life % 2 == 1) meeting.messages.test();
        barrier(world);  // no rank is in ready() or test() when another fails
        const auto messages = std::move(meeting.messages);
        throw InputError("the input is wrong.", true);
      } catch (const InputError& e) {
        if (world.rank() == 0 && life == 0) std::printf("caught: %s\n", e.what());
      }
    }
    return 3;
  }
  if (is("left_behind")) {  // one rank fails, and the others never receive what it has sent
    Meeting meeting(world, ProgressOptions::Kind::polling);
    const std::shared_ptr<SharedMemory> memory = world.share(sizeof(int));
    const auto is_asleep = [&](int rank) { return std::atomic_ref<int>(*reinterpret_cast<int*>(memory->at(rank))); };
    is_asleep(world.rank()) = 0;
    barrier(world);
    timeout().set_limit(1);
    if (!last) {  // from here on it makes no MPI call, in which it could receive
      is_asleep(world.rank()) = 1;
      sleep(30);
    }
    for (int rank = 0; rank < world.size() - 1; ++rank)
      while (is_asleep(rank) == 0) std::this_thread::yield();
    try {
      auto messages = std::move(meeting.messages);
      messages.ready_all(0, 0);
      throw InputError("the input of one rank is wrong.");
    } catch (const InputError&) {
    }
    return 0;
  }
  if (is("start_outlives_mpi")) {
    static std::optional<Meeting> meeting;
    meeting.emplace(world);
    return 0;
  }
  if (is("outlives_mpi")) {  // handles are not freed after MPI was finalised
    static std::optional<Meeting> meeting;
    meeting.emplace(world);
    meeting->finish();
    static std::optional<Mailbox> mailbox;
    mailbox.emplace(world);
    mailbox->drain();
    return 0;
  }
  if (is("silence")) timeout().set_limit(world.rank() == 0 ? 0.5 : 0);
  Meeting meeting(world);
  if (last && is("silence")) sleep(30);
  if (last && is("input_error_on_one_rank")) throw InputError("the input of one rank is wrong.");
  if (last && is("bad_alloc_on_one_rank")) throw std::bad_alloc();
  if (last && is("number_on_one_rank")) throw 7;
  if (last && is("misuse_on_one_rank")) meeting.messages.wait();
  meeting.finish();
  std::puts("nobody should come here");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const char* mode = argc > 1 ? argv[1] : "fine";
  return weft::main(argc, argv, [&](mpi::Communicator& world) { return run(world, mode); });
}
