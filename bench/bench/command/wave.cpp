// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "bench/command/form.hpp"
#include "bench/command/subcommands.hpp"
#include "bench/engine/engine.hpp"
#include "bench/wave/wave.hpp"
#include "command_line/number_check.hpp"

namespace weft::bench {

void add_bench_wave(CLI::App& parent, command_line::Action& action) {
  struct All : bench::WaveBenchOptions {
    std::string progress_name = name_of(ProgressOptions::Kind::polling), grouping_name = name_of(Grouping::per_peer);
  };
  auto options = std::make_shared<All>();
  auto& o = *options;
  auto* command = parent.add_subcommand("wave", "Measures the speed of waves on refined levels.");
  add_form(*command, o, "--cells 64 --levels 2");
  command->add_option("--cells", o.cells, "cells of level 0 along each axis")
      ->check(CLI::Range(8, 1024))
      ->capture_default_str();
  command->add_option("--levels", o.levels, "refined levels above level 0")
      ->check(CLI::Range(0, 6))
      ->capture_default_str();
  command->add_option("--block", o.block, "cells of a block along each axis")
      ->check(CLI::IsMember({8, 16, 32}))
      ->capture_default_str();
  command->add_option("--laplacian", o.laplacian, "order of the Laplacian")
      ->check(CLI::IsMember({2, 4}))
      ->capture_default_str();
  command->add_option("--progress", o.progress_name, "progress of messages: " + weft::progress_names.list())
      ->capture_default_str();
  command->add_option("--grouping", o.grouping_name, "which parts share a message: " + weft::grouping_names.list())
      ->check(CLI::IsMember(weft::grouping_names.all()))
      ->capture_default_str();
  command->add_option("--seconds", o.seconds, "approximate measuring time in seconds; default: 60, quick 20")
      ->check(command_line::positive_number());
  command->callback([&action, options] {
    action = [options](mpi::Communicator& world) {
      options->progress = progress_kind(options->progress_name);
      options->grouping = grouping_of(options->grouping_name);
      bench::wave(world, *options);
      return 0;
    };
  });
}

void add_bench_engine(CLI::App& parent, command_line::Action& action) {
  struct All : bench::EngineBenchOptions {
    std::vector<std::string> progress_names = weft::progress_names.all(),
                             grouping_names{name_of(Grouping::per_peer), name_of(Grouping::by_size),
                                            name_of(Grouping::per_part)};
  };
  auto options = std::make_shared<All>();
  auto& o = *options;
  auto* command = parent.add_subcommand(
      "engine",
      "Compares waves on refined levels by each progress mode with plain MPI, and measures the cost of progress "
      "threads.");
  add_form(*command, o, "--cells 64 --blocks 16");
  command->add_option("--cells", o.cells, "cells of level 0 along each axis; default: 32,64,96,128, quick 64")
      ->delimiter(',')
      ->check(CLI::Range(8, 1024));
  command->add_option("--blocks", o.blocks, "cells of a block along each axis; default: 8,16,32, quick 16")
      ->delimiter(',')
      ->check(CLI::IsMember({8, 16, 32}));
  command->add_option("--levels", o.levels, "refined levels above level 0")
      ->check(CLI::Range(0, 6))
      ->capture_default_str();
  command->add_option("--progress", o.progress_names, "progress of messages: " + weft::progress_names.list())
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--groupings", o.grouping_names, "which parts share a message: " + weft::grouping_names.list())
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--seconds", o.seconds, "approximate measuring time in seconds; default: 300, quick 20")
      ->check(command_line::positive_number());
  command->callback([&action, options] {
    action = [options](mpi::Communicator& world) {
      auto& o = *options;
      o.progress.clear();
      for (const auto& name : o.progress_names) o.progress.push_back(progress_kind(name));
      o.groupings.clear();
      for (const auto& name : o.grouping_names) o.groupings.push_back(grouping_of(name));
      bench::engine(world, o);
      return 0;
    };
  });
}

}  // namespace weft::bench
