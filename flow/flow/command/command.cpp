// SPDX-License-Identifier: BSD-3-Clause
#include "flow/command/command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flow/command/case_run.hpp"
#include "flow/set_up/set_up.hpp"
#include "program/await_root.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::flow {
namespace {

int run_case(mpi::Communicator& world, const FlowOptions& o, std::shared_ptr<view::Server> server) {
  auto run = prepare(world, o, read_case_of(world, o));
  if (o.check)
    check_run(world, &world, o, std::move(run));
  else
    carry_out(world, o, std::move(run), std::move(server));
  return 0;
}

// The user makes a case in a browser, then it runs. If it can't be run, the page shows why, and the user can change it.
int run_set_up(mpi::Communicator& world, FlowOptions o) {
  std::shared_ptr<view::Server> server;
  std::unique_ptr<flow::SetUp> set_up;
  on_root(world, [&] {
    if (!std::filesystem::is_regular_file(o.set_up))
      throw InputError(o.set_up.string() +
                       ": This file does not exist. Give the vessel's surface (STL, VTP, PLY, OBJ).");
    server = open_server(o);
  });
  program::await_root(world, [&] {
    set_up = std::make_unique<flow::SetUp>(
        *server,
        flow::SetUpOptions{.surface = o.set_up, .folder = std::filesystem::current_path(), .ranks = world.size()});
  });
  for (;;) {
    std::string file;
    program::await_root(world, [&] { file = set_up->wait().string(); });
    o.file = broadcast(world, file);
    if (o.file.empty()) return 0;
    mpi::Communicator run(world.handle());  // its own, so that messages of a failed run never match those of the next
    try {
      return run_case(run, o, server);
    } catch (const Error& error) {
      if (!error.everywhere()) throw;
      if (set_up) fmt::print(stderr, "Not run: {}\n", error.what());
      if (set_up) set_up->tell(error.what());
    }
  }
}

int run_flow(mpi::Communicator& world, const FlowOptions& o) {
  if (!o.set_up.empty()) return run_set_up(world, o);
  return o.convergence > 0 ? run_convergence(world, o) : run_case(world, o, {});
}

}  // namespace

void add_flow(CLI::App& weft, command_line::Action& action) {
  auto options = std::make_shared<FlowOptions>();
  auto& o = *options;
  auto* command = weft.add_subcommand("flow", command_line::about("flow"));
  command->description(
      "Simulates blood flow in a vessel with the lattice-Boltzmann method, from its surface (STL, VTP, PLY, OBJ) or a "
      "HemeLB geometry (.gmy).");
  auto* file = o.add_case(*command, "print the simulation's numbers, its cost and problems of the case; run nothing",
                          "fluid.viscosity=0.004");
  file->description("the case file (TOML; its keys: docs/keys.md); required, except with --set-up");
  auto* check = command->get_option("--check");
  command
      ->add_flag("--measure", o.measure,
                 "with --check: run for some seconds as the run would, and print its run time and memory")
      ->needs(check);
  auto* set_up = command
                     ->add_option("--set-up", o.set_up,
                                  "make a case from this surface (STL, VTP, PLY, OBJ) in a web browser, and run it")
                     ->type_name("SURFACE")
                     ->excludes(file)
                     ->excludes(check);
  o.add_json(*command);
  o.add_trace(*command);
  command
      ->add_option(
          "--replay", o.replay,
          "replay the commands of this file, e.g. a run's steering.jsonl: each one is carried out before its step")
      ->type_name("FILE");
  o.add_messages(*command, false);
  o.add_coalesce(*command);
  o.tune.add_to(*command, {"--progress", "--coalesce", "--grouping"});
  command
      ->add_option_function<std::vector<std::string>>(
          "--view",
          [options](const std::vector<std::string>& given) { options->view = given.empty() ? "" : given.front(); },
          "show the run in a web browser on this machine, which can also steer it; at this port (0 to 65535), default: "
          "a free one")
      ->expected(0, 1)
      ->check(CLI::Range(0, 65535))
      ->type_name("[PORT]");
  command->add_option("--view-address", o.view_address, "the IP address that --view listens on")
      ->capture_default_str()
      ->needs("--view");
  command
      ->add_flag(
          "--view-open", o.view_open,
          "require no token, so that other users of this machine can watch and steer, too; only at a loopback address")
      ->needs("--view");
  auto* convergence =
      command
          ->add_option_function<std::vector<std::string>>(
              "--convergence",
              [options](const std::vector<std::string>& given) {
                options->convergence = given == std::vector<std::string>{"2"} ? 2 : 3;
              },
              "run the case at 3 voxel sizes (default) or 2, of which its own is the finest, and print the grid "
              "convergence index of flows, pressure drops and wall shear stress")
          ->expected(0, 1)
          ->check([](const std::string& text) {
            return text == "2" || text == "3"
                       ? std::string()
                       : "'" + text +
                             "' is not a number of voxel sizes (2 or 3; without a number, put CASE before the option)";
          })
          ->type_name("[2|3]")
          ->excludes(set_up);
  command->add_option("--convergence-ratio", o.convergence_ratio, "each voxel size over the next finer one, 1.1 to 4")
      ->default_str("1.414")
      ->needs(convergence);
  command_line::explain(
      *command,
      {"weft flow examples/aneurysm/case.toml --check",
       "mpirun -n 4 weft flow examples/aneurysm/case.toml --set fluid.viscosity=0.004 --out out/thin"},
      "docs/flow.md");
  command->callback([&action, options, file, set_up] {
    if (file->empty() && set_up->empty()) throw CLI::RequiredError("CASE");
    if (!set_up->empty() && !options->view) options->view = "";
    action = [options](mpi::Communicator& world) { return run_flow(world, *options); };
    if (options->check && !options->measure && options->convergence == 0)
      action.alone = [options](Transport& alone) {
        check_run(alone, nullptr, *options, prepare(alone, *options, read_case_of(alone, *options)));
        return 0;
      };
  });
}

}  // namespace weft::flow
