// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collisions/collisions.hpp"

#include <CLI/CLI.hpp>
#include <memory>

#include "bench/collisions/collision_model.hpp"
#include "bench/command/form.hpp"
#include "bench/command/subcommands.hpp"

namespace weft::bench {

void add_bench_collisions(CLI::App& parent, command_line::Action& action) {
  auto options = std::make_shared<CollisionsOptions>();
  auto& o = *options;
  auto* command = parent.add_subcommand(
      "collisions",
      "Compares collision models of D3Q27 with exact solutions on a reference lattice: tubes, vortices, a shear "
      "layer.");
  add_form(*command, o, "--models cumulant,trt");
  std::vector<std::string> names;
  for (const auto& model : collision_models()) names.push_back(model.name);
  command->add_option("--models", o.models, "collision models; default: all")
      ->delimiter(',')
      ->check(CLI::IsMember(names));
  command
      ->add_option("--directions", o.directions,
                   "axes of the tubes: slanted, (1, 2, 4); diagonal, (1, 1, 0); aligned, (0, 0, 1); default: all, "
                   "quick slanted")
      ->delimiter(',')
      ->check(CLI::IsMember({"slanted", "diagonal", "aligned"}));
  command
      ->add_option(
          "--reynolds", o.reynolds,
          "Reynolds numbers of the tubes, mean velocity x diameter / viscosity; default: 40,400,1000; quick 400")
      ->delimiter(',')
      ->check(CLI::Range(0.1, 5000.0));
  command->add_option("--voxels", o.voxels, "number of voxels across the tubes; quick: at most 10")
      ->check(CLI::Range(5, 60))
      ->capture_default_str();
  command->callback([&action, options] {
    action = [options](mpi::Communicator& world) {
      collisions(world, *options);
      return 0;
    };
  });
}

}  // namespace weft::bench
