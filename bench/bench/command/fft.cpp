// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "bench/command/form.hpp"
#include "bench/command/subcommands.hpp"
#include "bench/fft/fft.hpp"
#include "command_line/number_check.hpp"
#include "command_line/tune_option.hpp"

namespace weft::bench {

void add_bench_fft(CLI::App& parent, command_line::Action& action) {
  struct All : bench::FftBenchOptions {
    std::vector<std::string> size_names, progress_names{"passive", "polling", "thread"};
    std::string decomposition_name = "automatic", effort_name = "measure",
                carrier_name = name_of(fft::Carrier::messages);
    command_line::TuneOption tune_option;
  };
  auto options = std::make_shared<All>();
  auto& o = *options;
  auto* command =
      parent.add_subcommand("fft", "Measures 3-D Fourier transforms: pipelined, blocking, plain MPI and FFTW's own.");
  add_form(*command, o, "--sizes 128");
  command
      ->add_option("--sizes", o.size_names,
                   "points of the field, as 128 or 64x128x128; default: 64,128,256, quick 64,128")
      ->delimiter(',');
  command->add_option("--decomposition", o.decomposition_name, "decomposition of the field: automatic, slabs, pencils")
      ->capture_default_str();
  command->add_option("--effort", o.effort_name, "planning effort of all plans: estimate, measure, patient")
      ->capture_default_str();
  command->add_option("--carrier", o.carrier_name, "how data are exchanged: " + fft::carrier_names.list())
      ->check(CLI::IsMember(fft::carrier_names.all()))
      ->capture_default_str();
  command->add_option("--progress", o.progress_names, "progress of messages in addition to passive: polling, thread")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--tile", o.tile, "planes per tile; default: chosen automatically")
      ->check(CLI::Range(1, 1 << 20));
  command->add_option("--window", o.window, "tiles in flight at once; default: chosen automatically")
      ->check(CLI::Range(1, 1 << 20));
  command->add_option("--seconds", o.seconds, "approximate measuring time in seconds; default: 120, quick 20")
      ->check(command_line::positive_number());
  o.tune_option.add_to(*command, {});
  command->callback([&action, options] {
    action = [options](mpi::Communicator& world) {
      auto& o = *options;
      for (const auto& name : o.size_names) o.sizes.push_back(fft::size_named(name));
      o.decomposition = fft::decomposition_named(o.decomposition_name);
      o.effort = fft::effort_named(o.effort_name);
      o.carrier = fft::carrier_named(o.carrier_name);
      o.progress.clear();
      for (const auto& name : o.progress_names) o.progress.push_back(progress_kind(name));
      o.tune = o.tune_option.wanted();
      bench::fft_transforms(world, o);
      return 0;
    };
  });
}

}  // namespace weft::bench
