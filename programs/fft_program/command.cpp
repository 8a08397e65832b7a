// SPDX-License-Identifier: BSD-3-Clause
#include "command_line/command.hpp"

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
  t.decomposition = fft::decomposition_names.named(o.decomposition);
  t.effort = fft::effort_names.named(o.effort);
  t.normalisation = fft::normalisation_names.named(o.normalisation);
  t.carrier = fft::carrier_names.named(o.carrier);
  t.progress = std::make_shared<Progress>(world, ProgressOptions{.kind = progress_kind(o.progress)});
  o.settings.tune = o.tune_option.wanted();
  run(world, static_cast<const RunOptions&>(o));
  return 0;
}

// The command line of `weft fft`.
void add_fft(CLI::App& weft, command_line::Action& action) {
  auto options = std::make_shared<All>();
  auto& o = *options;
  auto* command = weft.add_subcommand("fft", command_line::about("fft"));
  command->add_option("FILE", o.input, "Field: a raw file (native numbers, z fastest) or an HDF5 file (.h5, .hdf5)")
      ->required();
  command
      ->add_option("--dataset", o.datasets,
                   "dataset of the HDF5 file; can be repeated, for fields of one size and type, whose energies add up")
      ->allow_extra_args(false);
  command->add_option("--size", o.size_name,
                      "points of the field along x, y and z, for example 256x256x128; default: from the HDF5 file");
  command->add_option("--type", o.type,
                      "type of the field's numbers: f32, f64, c64, c128; default: from the HDF5 file");
  command->add_flag("--inverse", o.inverse,
                    "transforms a spectrum back to the field (the spectrum of a real field is half)");
  command->add_option("-o,--out,--output", o.output, "output file: raw, or HDF5 (.h5, .hdf5)");
  command
      ->add_option("--output-dataset", o.output_datasets,
                   "dataset of an HDF5 output, which is added to an existing file; once for each --dataset; default: "
                   "spectrum, or of several fields the names in the input")
      ->allow_extra_args(false);
  command->add_flag("--force", o.force, "replaces an existing output, or the dataset of this name in an HDF5 file");
  command->add_option("--spectrum", o.spectrum, "writes the energy per shell of wave numbers to this CSV file");
  command
      ->add_option("--normalisation", o.normalisation,
                   "which transform is divided by the number of points (unitary: both, by its square root): " +
                       fft::normalisation_names.list())
      ->check(CLI::IsMember(fft::normalisation_names.all()))
      ->capture_default_str();
  command
      ->add_option("--decomposition", o.decomposition,
                   "how the field is distributed over ranks: " + fft::decomposition_names.list())
      ->capture_default_str();
  command
      ->add_option("--effort", o.effort,
                   "effort of FFTW's planning (without effect with pocketfft): " + fft::effort_names.list())
      ->capture_default_str();
  command->add_option("--tile", o.transform.tile, "planes per message, 1 to 1048576; default: chosen automatically")
      ->check(CLI::Range(1, 1 << 20));
  command
      ->add_option("--window", o.transform.window,
                   "messages (tiles) in flight at once, 0 to 1048576; 0: no overlap; default: chosen automatically")
      ->check(CLI::Range(0, 1 << 20));
  command
      ->add_option("--progress", o.progress,
                   "how pending messages make progress: " +
                       progress_names.without(ProgressOptions::Kind::send_receive_threads).list())
      ->capture_default_str();
  command->add_option("--carrier", o.carrier, "MPI mechanism that sends the planes")
      ->check(CLI::IsMember(fft::carrier_names.all()))
      ->capture_default_str();
  command_line::add_result(*command, o.settings);
  o.tune_option.add_to(*command, {"--tile", "--window", "--progress"});
  command_line::explain(*command,
                        {"mpirun -n 2 weft fft velocity.raw --size 256x256x256 --type f64 --spectrum energy.csv",
                         "mpirun -n 2 weft fft snapshot.h5 --dataset u --output spectrum.h5",
                         "mpirun -n 2 weft fft snapshot.h5 --dataset u --dataset v --dataset w --spectrum energy.csv"},
                        "docs/fft.md");
  command->callback(
      [&action, options] { action = [options](mpi::Communicator& world) { return run(world, *options); }; });
}

}  // namespace
}  // namespace weft::fft_program

int main(int argc, char** argv) {
  return weft::command_line::run_command(argc, argv, "fft", weft::fft_program::add_fft);
}
