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
  auto* command =
      parent.add_subcommand("collectives", "MPI's collectives: their times, late ranks, what hides behind computation");
  add_form(*command, o);
  command
      ->add_option("--operations", o.operations,
                   "e.g. allreduce,alltoall; default: all for times, CRESTA's for the rest")
      ->delimiter(',');
  command->add_option("--kinds", o.kind_names, "blocking, nonblocking, persistent, rounds (weft's own)")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--sizes", o.sizes, "bytes, multiples of 8")->delimiter(',')->check(CLI::Range(8, 1 << 26));
  command->add_option("--experiments", o.experiments, "time, delay, overlap")
      ->delimiter(',')
      ->check(CLI::IsMember({"time", "delay", "overlap"}))
      ->capture_default_str();
  command->add_option("--deltas", o.deltas_us, "delays in us; default: 10,100,1000")
      ->delimiter(',')
      ->check(command_line::in_range(0.0, 1e7));
  command->add_option("--delayed", o.delayed, "who comes late: a rank, random:HOW_MANY, or a file of patterns")
      ->capture_default_str();
  command->add_option("--sync", o.sync_name, "start of each run: barrier, window")
      ->check(CLI::IsMember({"barrier", "window"}))
      ->capture_default_str();
  command->add_option("--progress", o.progress_names, "of the overlap: " + weft::progress_names.list())
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--poll", o.poll_us, "us between two calls that make progress")
      ->check(command_line::not_negative_number())
      ->capture_default_str();
  command->add_option("--ratio", o.ratio, "computation over communication, in the overlap")
      ->check(command_line::in_range(0.01, 100.0))
      ->capture_default_str();
  command->add_option("--seed", o.seed, "of the order of measurements and of random delays")->capture_default_str();
  command->add_option("--seconds", o.seconds, "time to measure for, about; default: 300, quick 30")
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
