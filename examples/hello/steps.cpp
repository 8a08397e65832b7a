// SPDX-License-Identifier: BSD-3-Clause
//
// The ring of hello.cpp as two clients of a StepManager. Each lists its messages independently of the other; both share
// one exchange and one wait per step. Here the ranks are threads of one process (no mpirun): for tests and teaching.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <vector>

#include "weft/weft.hpp"

class Ring : public weft::Client {
 public:
  explicit Ring(const weft::Transport& world)
      : left_((world.rank() + world.size() - 1) % world.size()), right_((world.rank() + 1) % world.size()),
        n_(5040 / static_cast<std::size_t>(world.size())), heat_(n_ + 2), next_(n_ + 2) {
    const std::size_t before = n_ * static_cast<std::size_t>(world.rank());
    for (std::size_t i = 1; i <= n_; ++i) heat_[i] = before + i <= 2520 ? 1 : 0;
  }
  double change() const { return change_; }

  void request(weft::Requests& mine) override {
    const auto cell = [&](std::size_t i) { return weft::contiguous(std::span(&heat_[i], 1)); };
    mine.send(left_, 1, cell(1));
    mine.send(right_, 2, cell(n_));
    mine.receive(right_, 1, cell(n_ + 1));
    mine.receive(left_, 2, cell(0));
  }
  void during(weft::Step&) override { update(2, n_ - 1); }
  void after(weft::Step&) override {
    update(1, 1);
    update(n_, n_);
    change_ = 0;
    for (std::size_t i = 1; i <= n_; ++i) change_ = std::max(change_, std::abs(next_[i] - heat_[i]));
    std::copy(next_.begin() + 1, next_.end() - 1, heat_.begin() + 1);
  }

 private:
  void update(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i <= last; ++i)
      next_[i] = heat_[i] + 0.25 * (heat_[i - 1] - 2 * heat_[i] + heat_[i + 1]);
  }

  int left_, right_;
  std::size_t n_;
  std::vector<double> heat_, next_;
  double change_ = 1;
};

class Monitor : public weft::Client {
 public:
  explicit Monitor(const Ring& ring) : ring_(ring) {}
  double largest() const { return largest_; }

  void request(weft::Requests& mine) override {
    mine.all_reduce(std::span<const double>(&change_, 1), std::span(&largest_, 1), weft::maximum<double>());
  }
  void before(weft::Step&) override { change_ = ring_.change(); }

 private:
  const Ring& ring_;
  double change_ = 1, largest_ = 1;
};

int main(int argc, char** argv) {
  const int ranks = argc > 1 ? std::atoi(argv[1]) : 2;
  weft::run_in_process(ranks, [](weft::Transport& world) {
    Ring ring(world);
    Monitor monitor(ring);
    weft::StepManager manager(world);
    manager.add("ring", ring);
    manager.add("monitor", monitor);
    while (monitor.largest() > 1e-4) manager.run_step();
    if (world.rank() == 0)
      std::printf("%lld steps, largest change %.6e\n", static_cast<long long>(manager.step()), monitor.largest());
  });
}
