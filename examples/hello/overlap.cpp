// SPDX-License-Identifier: BSD-3-Clause
//
// A stream carries dye around a ring of ranks: in each step half of a row's dye moves to the next row. A rank needs the
// last row of its left neighbour, which is in flight while the rank computes its other rows. At the end the program
// prints the overlap. Run it with mpirun on any number of ranks.
#include <algorithm>
#include <cstdio>
#include <span>
#include <vector>

#include "weft/weft.hpp"

class Dye : public weft::Client {
 public:
  explicit Dye(const weft::Transport& world)
      : left_((world.rank() + world.size() - 1) % world.size()), right_((world.rank() + 1) % world.size()),
        now_((rows + 1) * cells), next_(now_.size()) {
    if (world.rank() == 0) std::fill_n(row(1).begin(), cells, 1);
  }

  // [client]
  void request(weft::Requests& mine) override {  // listed once: what each step sends and receives
    mine.send(right_, 1, weft::contiguous(row(rows)));
    mine.receive(left_, 1, weft::contiguous(row(0)));
  }
  void during(weft::Step& step) override { compute(2, rows, step); }  // the row is in flight
  void after(weft::Step& step) override { compute(1, 1, step), keep(); }
  // [client end]

 private:
  std::span<double> row(std::size_t i) { return std::span(now_).subspan(i * cells, cells); }
  void compute(std::size_t first, std::size_t last, weft::Step& step) {
    for (std::size_t i = first; i <= last; ++i) {
      for (std::size_t j = i * cells; j < (i + 1) * cells; ++j) next_[j] = now_[j] + 0.5 * (now_[j - cells] - now_[j]);
      step.progress();  // lets MPI make progress; never waits
    }
  }
  void keep() { std::copy(next_.begin() + cells, next_.end(), now_.begin() + cells); }

  static constexpr std::size_t rows = 2048, cells = 2048;  // mine are the rows 1 to 2048; row 0 is the neighbour's
  int left_, right_;
  std::vector<double> now_, next_;
};

int stream(weft::Transport& world) {
  Dye dye(world);
  weft::Timeline timeline;
  // [run]
  weft::StepManager manager(world, {.timeline = &timeline});
  manager.add("dye", dye);  // and further clients: one wait per step, one message per neighbour for all
  while (manager.step() < 300) manager.run_step();
  auto report = weft::overlap_report(world, manager, timeline, {"dye"});
  report.exchange_seconds = weft::all_reduce(world, manager.measure_alone(20), weft::maximum<double>());
  if (world.rank() == 0) std::fputs(report.text().c_str(), stdout);
  // [run end]
  return 0;
}

int main(int argc, char** argv) { return weft::main(argc, argv, stream); }
