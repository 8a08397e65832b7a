// SPDX-License-Identifier: BSD-3-Clause
#include "box_program/command.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "box_program/run.hpp"
#include "command_line/run_options.hpp"
#include "program/same_file.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::box_program {
namespace {

struct BoxOptions : command_line::RunOptions {
  std::string scheme, payload, carrier = "messages";
};

box_program::Case read(Transport& world, const BoxOptions& o) {
  box_program::Case c;
  program::check_same_file(world, o.file);
  together(world, [&] {
    auto overrides = o.overrides();
    if (!o.scheme.empty()) overrides.push_back("halo.scheme=\"" + o.scheme + "\"");
    if (!o.payload.empty()) overrides.push_back("halo.payload=\"" + o.payload + "\"");
    c = box_program::read_case(o.file, overrides);
    if (!o.out.empty()) c.output.directory = o.out;
  });
  return c;
}

Carrier carrier_of(const Transport& world, const std::string& name) {
  const auto carriers = carriers_of(world);
  if (const auto carrier = carrier_names.find(name); carrier && std::ranges::count(carriers, *carrier) > 0)
    return *carrier;
  std::string allowed;
  for (const auto carrier : carriers) allowed += (allowed.empty() ? "" : ", ") + std::string(name_of(carrier));
  throw InputError("The carrier '" + name + "' is not available with this MPI library. Give one of " + allowed + ".",
                   true);
}

StepOptions step_options(Transport& world, const BoxOptions& o) {
  return {.coalesce = o.coalesce == "on",
          .messages = {.grouping = grouping_names.named(o.grouping),
                       .watchdog_seconds = 60,
                       .carrier = carrier_of(world, o.carrier),
                       .shared_memory = o.shared_memory},
          .progress = {.kind = progress_kind(o.progress)}};
}

void say_result(const box_program::RunResult& result) {
  if (result.steady)
    fmt::print("steady after {} steps (relative change {:.2g} per step)\n", result.steps, result.last.relative_change);
  fmt::print("{} steps of {} sites in {:.1f} s: {:.1f} million site updates per second\n", result.made(), result.sites,
             result.seconds, result.mlups());
  fmt::print("density {:.6f} to {:.6f}, largest speed {:.6g}\n\n", result.last.lowest_density,
             result.last.highest_density, result.last.highest_speed);
  if (!result.tuned.empty()) fmt::print("tune: {}\n", result.tuned);
  fmt::print("{}\n", result.overlap.text());
}

int run_box(mpi::Communicator& world, const BoxOptions& o) {
  const auto c = read(world, o);
  const box_program::RunOptions options{.step = step_options(world, o), .settings = o.settings(c.output.directory)};
  const auto frame = make_frame(world, c, options);
  frame->check_files();
  if (!frame->announce(box_program::check_report(world, c), box_program::find_problems(c))) return 0;
  frame->lock();
  auto result = box_program::run(world, *frame, c, options);
  frame->leave_result(result.files, [&](const auto& file) { box_program::write_result_json(file, c, result, world); });
  if (world.rank() == 0) say_result(result);
  frame->close(std::move(result.files));
  return 0;
}

}  // namespace

void add_box(CLI::App& weft, command_line::Action& action) {
  auto options = std::make_shared<BoxOptions>();
  auto& o = *options;
  auto* command = weft.add_subcommand("box", command_line::about("box"));
  o.add_case(*command, "Checks the case and prints its size, memory and halo exchange; runs nothing", "lattice.tau=0.6")
      ->required();
  o.add_json(*command);
  o.add_trace(*command);
  command
      ->add_option("--scheme", o.scheme,
                   "halo exchange; direct: with all neighbours at once; by_dimension: one axis after the other; "
                   "default: as in the case")
      ->check(CLI::IsMember(scheme_names.all()));
  command
      ->add_option("--payload", o.payload,
                   "what the halo exchange sends of each site; whole: all populations; directions: all populations of "
                   "a site where any is needed; reduced: only the needed populations; default: as in the case")
      ->check(CLI::IsMember(halo_payload_names.all()));
  command
      ->add_option("--carrier", o.carrier,
                   "MPI mechanism of the messages: messages, synchronous, datatypes, partitioned (as "
                   "far as the MPI library has it)")
      ->capture_default_str();
  o.add_messages(*command, false);
  o.add_coalesce(*command);
  o.add_shared_memory(*command);
  o.tune.add_to(*command, {"--scheme", "--progress", "--shared-memory", "--coalesce", "--grouping"});
  command_line::explain(*command,
                        {"weft box --check examples/box/taylor-green.toml",
                         "mpirun -n 2 weft box examples/box/suspension.toml --steps 1000"},
                        "docs/box.md");
  command->callback(
      [&action, options] { action = [options](mpi::Communicator& world) { return run_box(world, *options); }; });
}

}  // namespace weft::box_program
