// SPDX-License-Identifier: BSD-3-Clause
#include "bench/accuracy/accuracy.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "bench/command/form.hpp"
#include "bench/command/subcommands.hpp"

namespace weft::bench {

void add_bench_accuracy(CLI::App& parent, command_line::Action& action) {
  auto options = std::make_shared<AccuracyOptions>();
  auto& o = *options;
  auto* command = parent.add_subcommand(
      "accuracy",
      "Compares wall shear stress and pressure drop that weft flow computes in tubes with exact solutions.");
  add_form(*command, o, "--axes slanted --voxels 10");
  command
      ->add_option("--axes", o.axes,
                   "axes of the tubes: slanted, (1, 2, 4); diagonal, (1, 1, 0); aligned, (0, 0, 1); default: all, "
                   "quick slanted")
      ->delimiter(',')
      ->check(CLI::IsMember({"slanted", "diagonal", "aligned"}));
  command
      ->add_option("--reynolds", o.reynolds,
                   "Reynolds numbers, mean velocity x diameter / viscosity; default: 40,386,1000; quick 40,386")
      ->delimiter(',')
      ->check(CLI::Range(0.1, 2000.0));
  command->add_option("--voxels", o.voxels, "numbers of voxels across the tube; default: 10,14,20; quick 10,14")
      ->delimiter(',')
      ->check(CLI::Range(5, 100));
  command->add_option("--set", o.changes, "KEY=VALUE: sets a key in every case, as weft flow --set")
      ->allow_extra_args(false);
  command->callback([&action, options] {
    action = [options](mpi::Communicator& world) {
      accuracy(world, *options);
      return 0;
    };
  });
}

}  // namespace weft::bench
