// SPDX-License-Identifier: BSD-3-Clause
//
// docs/tune.md: a run that chooses its communication settings in its first steps, and stores them.
#include <cstdio>
#include <vector>

#include "weft/weft.hpp"

class Ring : public weft::Client {
 public:
  explicit Ring(const weft::Transport& world)
      : left_((world.rank() + world.size() - 1) % world.size()), right_((world.rank() + 1) % world.size()),
        cells_(20000, 1.0 + world.rank()) {}

  void request(weft::Requests& mine) override {
    mine.send(right_, 1, weft::contiguous(std::span(outgoing_)));
    mine.receive(left_, 1, weft::contiguous(std::span(incoming_)));
  }
  void before(weft::Step&) override { std::copy(cells_.end() - 512, cells_.end(), outgoing_.begin()); }
  void during(weft::Step& step) override {
    for (std::size_t i = cells_.size() - 1; i > 0; --i) {
      cells_[i] = 0.5 * (cells_[i] + cells_[i - 1]);
      if (i % 4096 == 0) step.progress();
    }
  }
  void after(weft::Step&) override { cells_[0] = incoming_.back(); }
  double last() const { return cells_.back(); }

 private:
  int left_, right_;
  std::vector<double> cells_, outgoing_ = std::vector<double>(512), incoming_ = std::vector<double>(512);
};

int ring(weft::mpi::Communicator& world) {
  constexpr int steps = 3000;
  Ring ring(world);
  weft::StepManager manager(world);
  manager.add("ring", ring);
  // [tune]
  weft::Tuning::Options options;
  options.iterations = steps;  // at most half of them are measured
  weft::Tuning tuning(world, "ring of 20000 cells a rank", weft::step_candidates(world), options);
  while (manager.step() < steps)
    tuning.iterate(
        [&](const weft::Setting& setting) {
          weft::StepOptions chosen;
          weft::apply(setting, chosen);
          manager.use(chosen, !tuning.settled());  // until then, keep the exchanges of the other candidates
        },
        [&] { manager.run_step(); });
  if (world.rank() == 0) std::puts(tuning.text().c_str());
  // [tune end]
  const double last = weft::all_reduce(world, ring.last(), weft::sum<double>());
  if (world.rank() == 0) std::printf("after %d steps: %.12g\n", steps, last);
  return 0;
}

int main(int argc, char** argv) { return weft::main(argc, argv, ring); }
