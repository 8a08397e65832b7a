// SPDX-License-Identifier: BSD-3-Clause
//
// docs/tutorial.md, stages 5 and 6: heat, moisture, and a reduction for the largest change of each, as three clients of
// a StepManager. It prints the overlap.
#include "settings.hpp"
#include "tube.hpp"
#include "weft/weft.hpp"

class Spreading : public weft::Client {
 public:
  Spreading(const weft::Transport& world, const Settings& settings, double spread)
      : up_((world.rank() + world.size() - 1) % world.size()), down_((world.rank() + 1) % world.size()),
        tube_(settings.rows, settings.columns, world.rank(), world.size(), spread) {}

  // [module]
  void request(weft::Requests& mine) override {
    mine.send(up_, 1, weft::contiguous(std::span(tube_.top)));
    mine.send(down_, 2, weft::contiguous(std::span(tube_.bottom)));
    mine.receive(down_, 1, weft::contiguous(std::span(tube_.below)));
    mine.receive(up_, 2, weft::contiguous(std::span(tube_.above)));
  }
  void before(weft::Step&) override { tube_.copy_edges(); }  // when it returns, my parts are ready
  void during(weft::Step& step) override {
    next_change_ = 0;
    for (std::size_t i = 1; i < last(); ++i) {
      next_change_ = std::max(next_change_, tube_.update(i, i + 1));
      step.progress();
    }
  }
  void after(weft::Step&) override {
    change_ = std::max({next_change_, tube_.update(0, 1), tube_.update(last(), last() + 1)});
    tube_.finish_step();
  }
  // [module end]
  double change() const { return change_; }  // the maximum of my rows in the previous step
  std::uint64_t fingerprint() const { return tube_.fingerprint(); }

 private:
  std::size_t last() const { return tube_.rows() - 1; }

  int up_, down_;
  Tube tube_;
  double change_ = 0, next_change_ = 0;
};

// [watch]
class Largest : public weft::Client {
 public:
  explicit Largest(std::vector<const Spreading*> modules)
      : modules_(std::move(modules)), mine_(modules_.size()), all_(modules_.size()) {}

  void request(weft::Requests& mine) override {
    mine.all_reduce(std::span<const double>(mine_), std::span(all_), weft::maximum<double>());
  }
  void before(weft::Step&) override {
    std::transform(modules_.begin(), modules_.end(), mine_.begin(),
                   [](const auto* module) { return module->change(); });
  }
  void after(weft::Step& step) override {
    if (tell_ && step.number() > 0 && step.number() % 100 == 0) print_change(static_cast<int>(step.number()), all_[0]);
  }
  void tell() { tell_ = true; }

 private:
  std::vector<const Spreading*> modules_;
  std::vector<double> mine_, all_;
  bool tell_ = false;
};
// [watch end]

int spread(weft::mpi::Communicator& world, const Settings& settings) {
  // [manager]
  Spreading heat(world, settings, 0.2), moisture(world, settings, 0.1);
  Largest largest({&heat, &moisture});

  weft::Timeline timeline(!settings.trace.empty());
  weft::StepManager manager(world, {.coalesce = settings.clients == "aggregated",
                                    .progress = {.kind = weft::progress_kind(settings.progress)},
                                    .timeline = &timeline});
  // With coalesce = false the clients run one after the other, in this order. `largest` comes first, so that it reads
  // the changes of the previous step in both cases.
  manager.add("largest", largest);
  manager.add("heat", heat);
  manager.add("moisture", moisture);
  // [manager end]
  if (world.rank() == 0) largest.tell();

  const double start = weft::now_seconds();
  while (manager.step() < settings.steps) manager.run_step();
  const double seconds = weft::now_seconds() - start;

  const double last = weft::all_reduce(world, heat.change(), weft::maximum<double>());
  const auto all_heat = weft::all_reduce(world, heat.fingerprint(), weft::sum<std::uint64_t>());
  const auto all_moisture = weft::all_reduce(world, moisture.fingerprint(), weft::sum<std::uint64_t>());
  if (world.rank() == 0) {
    if (settings.steps % 100 == 0) print_change(settings.steps, last);
    print_end("heat", all_heat);
    print_end("moisture", all_moisture);
    print_time(seconds, settings);
  }
  // [table]
  auto report = weft::overlap_report(world, manager, timeline, {"heat", "moisture", "largest"});
  if (!settings.trace.empty()) timeline.write_trace(world, settings.trace);
  report.exchange_seconds = weft::all_reduce(world, manager.measure_alone(20), weft::maximum<double>());
  if (world.rank() == 0) std::fputs(report.text().c_str(), stdout);
  // [table end]
  return 0;
}

int main(int argc, char** argv) {
  return weft::main(argc, argv, [&](weft::mpi::Communicator& world) {
    Settings settings;
    return read(argc, argv, world.rank(), world.size(), settings) ? spread(world, settings) : 2;
  });
}
