// SPDX-License-Identifier: BSD-3-Clause
//
// docs/howto/client.md: two modules of a program as clients of one StepManager. Drops of paint pass from rank to rank
// around a ring. All are counted in every fifth step.
#include <cstdio>
#include <numeric>
#include <vector>

#include "weft/weft.hpp"

// [client]
class Paint : public weft::Client {
 public:
  explicit Paint(const weft::Transport& world)
      : left_((world.rank() + world.size() - 1) % world.size()), right_((world.rank() + 1) % world.size()),
        drops_(1000, world.rank() + 1) {}

  // My messages. weft keeps pointers to these buffers: they must not move as long as I am a client.
  void request(weft::Requests& mine) override {
    out_ = mine.send(right_, 1, weft::contiguous(std::span(outgoing_)));
    mine.receive(left_, 1, weft::contiguous(std::span(incoming_)));
  }
  // Computes the send buffers. ready() sends a part at once; parts that were not marked are sent when this returns.
  void before(weft::Step& step) override {
    outgoing_[0] = drops_.back();
    step.ready(out_);
  }
  // Computes what needs nothing from other ranks, and lets MPI make progress now and then.
  void during(weft::Step& step) override {
    for (std::size_t i = drops_.size() - 1; i > 0; --i) {
      drops_[i] = drops_[i - 1];
      if (i % 256 == 0) step.progress();
    }
  }
  // Uses the received data.
  void after(weft::Step&) override { drops_[0] = incoming_[0]; }
  // [client end]
  long sum() const { return std::accumulate(drops_.begin(), drops_.end(), 0L); }

 private:
  int left_, right_;
  weft::SendPart out_;
  std::vector<long> drops_, outgoing_ = {0}, incoming_ = {0};
};

class Count : public weft::Client {
 public:
  explicit Count(const Paint& paint) : paint_(paint) {}
  long all() const { return all_; }

  void request(weft::Requests& mine) override {
    mine.all_reduce(std::span<const long>(&mine_, 1), std::span(&all_, 1), weft::sum<long>());
  }
  void before(weft::Step&) override { mine_ = paint_.sum(); }

 private:
  const Paint& paint_;
  long mine_ = 0, all_ = 0;
};

int ring(weft::mpi::Communicator& world) {
  // [steps]
  Paint paint(world);
  Count count(paint);
  weft::StepManager manager(world, {.messages = {.watchdog_seconds = 60}});
  manager.add("paint", paint);
  manager.add("count", count, {.every = 5});  // in steps 0, 5, 10, ... only
  while (manager.step() < 21) manager.run_step();
  // [steps end]
  const int n = world.size();
  if (world.rank() == 0) std::printf("%ld drops, there should be %d\n", count.all(), 1000 * n * (n + 1) / 2);
  return 0;
}

int main(int argc, char** argv) { return weft::main(argc, argv, ring); }
