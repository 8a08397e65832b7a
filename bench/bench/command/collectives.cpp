// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collectives/collectives.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bench/command/form.hpp"
#include "bench/command/subcommands.hpp"
#include "command_line/number_check.hpp"

namespace weft::bench {

void add_bench_collectives(CLI::App& parent, command_line::Action& action) {
  struct All : bench::CollectivesOptions {
    std::vector<std::string> kind_names{"blocking", "nonblocking", "persistent"},
        experiments{"time", "delay", "overlap"}, progress_names{"passive", "polling", "thread"};
    std::string sync_name = "window";
    std::vector<double> deltas_us;
    double poll_us = 50;
  };
  auto options = std::make_shared<All>();
  auto& o = *options;
  auto* command = parent.add_subcommand("collectives",
                                        "Measures MPI's collectives: times, delayed ranks, overlap with computation.");
  add_form(*command, o, "--operations allreduce,alltoall --sizes 8,65536");
  command
      ->add_option("--operations", o.operations,
                   "operations, as allreduce,alltoall; default: all for time; barrier, allreduce, alltoall for delay; "
                   "allreduce, alltoall for overlap")
      ->delimiter(',');
  command
      ->add_option("--kinds", o.kind_names,
                   "kinds of collectives: blocking, nonblocking, persistent, rounds (weft's own)")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--sizes", o.sizes, "message sizes in bytes, multiples of 8")
      ->delimiter(',')
      ->check(CLI::Range(8, 1 << 26));
  command->add_option("--experiments", o.experiments, "measurements: time, delay, overlap")
      ->delimiter(',')
      ->check(CLI::IsMember({"time", "delay", "overlap"}))
      ->capture_default_str();
  command->add_option("--deltas", o.deltas_us, "delays in us; default: 10,100,1000")
      ->delimiter(',')
      ->check(command_line::in_range(0.0, 1e7));
  command
      ->add_option("--delayed", o.delayed,
                   "delayed ranks: a rank, random:N (N random ranks), or a file of delay patterns")
      ->capture_default_str();
  command->add_option("--sync", o.sync_name, "synchronisation before each run: barrier, or window of the global clock")
      ->check(CLI::IsMember({"barrier", "window"}))
      ->capture_default_str();
  command
      ->add_option("--progress", o.progress_names,
                   "progress of messages in the overlap measurements: " + weft::progress_names.list())
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--poll", o.poll_us, "us between two progress calls")
      ->check(command_line::not_negative_number())
      ->capture_default_str();
  command->add_option("--ratio", o.ratio, "computation time / communication time in the overlap measurements")
      ->check(command_line::in_range(0.01, 100.0))
      ->capture_default_str();
  command->add_option("--seed", o.seed, "seed of the order of measurements and of random delays")
      ->capture_default_str();
  command->add_option("--seconds", o.seconds, "approximate measuring time in seconds; default: 300, quick 30")
      ->check(command_line::positive_number());
  command->callback([&action, options] {
    action = [options](mpi::Communicator& world) {
      auto& o = *options;
      const auto wants = [&](const char* name) {
        return std::find(o.experiments.begin(), o.experiments.end(), name) != o.experiments.end();
      };
      o.time = wants("time");
      o.delay = wants("delay");
      o.overlap = wants("overlap");
      o.kinds.clear();
      for (const auto& name : o.kind_names) o.kinds.push_back(bench::collectives::kind_named(name));
      o.progress.clear();
      for (const auto& name : o.progress_names) o.progress.push_back(progress_kind(name));
      for (const double us : o.deltas_us) o.deltas.push_back(us * 1e-6);
      o.poll_seconds = o.poll_us * 1e-6;
      o.sync = o.sync_name == "barrier" ? bench::collectives::Sync::barrier : bench::collectives::Sync::window;
      o.reads = {o.delayed};
      return bench::collectives_suite(world, o);
    };
  });
}

}  // namespace weft::bench
