// SPDX-License-Identifier: BSD-3-Clause
#include "fft_program/command.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>

#include "command_line/run_options.hpp"
#include "fft_program/run.hpp"
#include "weft/error.hpp"

namespace weft::fft_program {
namespace {

struct All : RunOptions {
  std::string size_name, decomposition = "automatic", effort = "estimate", progress = "polling",
                         normalisation = "inverse", carrier = "messages";
  command_line::TuneOption tune_option;
};

int run(mpi::Communicator& world, All& o) {
  if (!o.size_name.empty()) o.size = fft::size_named(o.size_name);
  auto& t = o.transform;
  t.decomposition = fft::decomposition_named(o.decomposition);
  t.effort = fft::effort_named(o.effort);
  t.normalisation = fft::normalisation_names.named(o.normalisation);
  t.carrier = fft::carrier_named(o.carrier);
  t.progress = std::make_shared<Progress>(world, ProgressOptions{.kind = progress_kind(o.progress)});
  o.settings.tune = o.tune_option.wanted();
  run(world, static_cast<const RunOptions&>(o));
  return 0;
}

}  // namespace

void add_fft(CLI::App& weft, command_line::Action& action) {
  auto options = std::make_shared<All>();
  auto& o = *options;
  auto* command = weft.add_subcommand("fft", command_line::about("fft"));
  command->add_option("FILE", o.input, "the field: raw numbers, z fastest, or HDF5 (.h5, .hdf5)")->required();
  command->add_option("--dataset", o.dataset, "of an HDF5 file: which");
  command->add_option("--size", o.size_name, "points of the field along x, y, z, e.g. 256x256x128; HDF5 tells it");
  command->add_option("--type", o.type, "numbers of the field: f32, f64, c64, c128; HDF5 tells it");
  command->add_flag("--inverse", o.inverse, "from a spectrum (of a real field: its half) to the field");
  command->add_option("-o,--out,--output", o.output, "write the result here: raw, or HDF5 (.h5, .hdf5)");
  command->add_option("--output-dataset", o.output_dataset, "its name in an HDF5 file")->capture_default_str();
  command->add_option("--spectrum", o.spectrum, "write the energy in shells of wave numbers to this CSV file");
  command
      ->add_option("--normalisation", o.normalisation,
                   "what is divided by the points: " + fft::normalisation_names.list())
      ->check(CLI::IsMember(fft::normalisation_names.all()))
      ->capture_default_str();
  command->add_option("--decomposition", o.decomposition, fft::decomposition_names.list())->capture_default_str();
  command->add_option("--effort", o.effort, "of planning: " + fft::effort_names.list())->capture_default_str();
  command->add_option("--tile", o.transform.tile, "planes that travel together; default: chosen")
      ->check(CLI::Range(1, 1 << 20));
  command->add_option("--window", o.transform.window, "tiles in flight; 0: no overlap; default: chosen")
      ->check(CLI::Range(0, 1 << 20));
  command
      ->add_option("--progress", o.progress,
                   "who drives messages: " + progress_names.without(ProgressOptions::Kind::send_receive_threads).list())
      ->capture_default_str();
  command->add_option("--carrier", o.carrier, "what planes travel as")
      ->check(CLI::IsMember(fft::carrier_names.all()))
      ->capture_default_str();
  command_line::add_result(*command, o.settings);
  o.tune_option.add_to(*command, {"--tile", "--window", "--progress"});
  command->callback(
      [&action, options] { action = [options](mpi::Communicator& world) { return run(world, *options); }; });
}

}  // namespace weft::fft_program
