// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "bench/command/form.hpp"
#include "bench/command/subcommands.hpp"
#include "bench/core/core.hpp"
#include "bench/halo/halo_scaling.hpp"
#include "bench/network/network.hpp"
#include "bench/pipelines/pipelines.hpp"
#include "bench/steps/steps.hpp"
#include "command_line/number_check.hpp"
#include "weft/collective/monitors.hpp"
#include "weft/simulated.hpp"

namespace weft::bench {
namespace {

// Several progress modes; simulated machines have no threads.
void add_progress(CLI::App& command, std::vector<ProgressOptions::Kind>& kinds) {
  using Kind = ProgressOptions::Kind;
  const auto names =
      (simulated::here ? progress_names.without(Kind::thread).without(Kind::send_receive_threads) : progress_names)
          .all();
  command
      .add_option_function<std::vector<std::string>>(
          "--progress",
          [&kinds](const std::vector<std::string>& chosen) {
            kinds.clear();
            for (const auto& name : chosen) kinds.push_back(progress_kind(name));
          },
          "progress of messages: " + CLI::detail::join(names, ", "))
      ->delimiter(',')
      ->check(CLI::IsMember(names))
      ->default_str(name_of(kinds.front()));
}

void add_halo_scaling(CLI::App& parent, command_line::Action& action) {
  struct All : bench::HaloScalingOptions {
    std::vector<std::size_t> edges{96};
  };
  auto options = std::make_shared<All>();
  auto& o = *options;
  auto* command = parent.add_subcommand(
      "halo-scaling", "Compares halo exchanges of one grid on all ranks: 6 messages in 3 rounds, and 26 at once.");
  add_form(*command, o, "--extents 96,192");
  command->add_option("--extents", o.edges, "points along each axis of the grid")
      ->delimiter(',')
      ->check(CLI::Range(8, 4096))
      ->capture_default_str();
  command->add_option("--components", o.components, "numbers per point")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command
      ->add_option("--packed-limit", o.packed_limit,
                   "largest size of packed messages in bytes; 0: eager limit of the MPI library")
      ->capture_default_str();
  command->add_option("--turns", o.turns, "smallest number of repetitions of all methods")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--seconds", o.seconds, "approximate measuring time in seconds")
      ->check(command_line::not_negative_number())
      ->capture_default_str();
  command->callback([&action, options] {
    action = [options](mpi::Communicator& world) {
      options->extents.clear();
      for (const auto n : options->edges) options->extents.push_back({n, n, n});
      bench::halo_scaling(world, *options);
      return 0;
    };
  });
}

void add_core(CLI::App& parent, command_line::Action& action) {
  auto options = std::make_shared<bench::CoreOptions>();
  auto* command = parent.add_subcommand("core", "Measures the time to commit an exchange on all ranks.");
  add_form(*command, *options, "--turns 20");
  command->add_option("--turns", options->turns, "number of commits")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->callback([&action, options] {
    action = [options](mpi::Communicator& world) {
      bench::core(world, *options);
      return 0;
    };
  });
}

void add_steps(CLI::App& parent, command_line::Action& action) {
  auto options = std::make_shared<bench::StepsOptions>();
  auto& o = *options;
  auto* command = parent.add_subcommand(
      "steps", "Runs a synthetic lattice program with monitors and pictures, in one exchange or in one exchange each.");
  add_form(*command, o, "--sites 100000 --images 0,10");
  command->add_option("--sites", o.sites, "sites of the whole lattice")
      ->check(command_line::positive_number())
      ->capture_default_str();
  command->add_option("--seconds-per-site", o.seconds_per_site, "computing time per site and step, in seconds")
      ->check(command_line::not_negative_number())
      ->capture_default_str();
  command->add_option("--imbalance", o.imbalance, "largest random lengthening of a rank's step, as a share of it")
      ->check(command_line::not_negative_number())
      ->capture_default_str();
  command
      ->add_option("--steady-imbalance", o.steady_imbalance,
                   "largest constant excess of a rank's sites, as a share of the mean")
      ->check(command_line::not_negative_number())
      ->capture_default_str();
  auto ways = monitor_way_names.all();
  ways.insert(ways.begin(), "none");
  command->add_option("--monitors", o.monitors, "communication of the monitors: " + CLI::detail::join(ways, ", "))
      ->delimiter(',')
      ->check(CLI::IsMember(ways))
      ->capture_default_str();
  command->add_option("--images", o.images, "numbers of pictures in all steps")
      ->delimiter(',')
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  command->add_option("--modes", o.modes, "coalesced: one exchange for all clients; separate: one per client")
      ->delimiter(',')
      ->check(CLI::IsMember({"coalesced", "separate"}))
      ->capture_default_str();
  command->add_flag("--sleep", o.sleep, "sleep instead of computing, for more ranks than cores");
  add_progress(*command, o.progress);
  command
      ->add_option("--image-seconds", o.image_seconds,
                   "time in seconds that a rank needs to draw its part of a picture")
      ->check(command_line::not_negative_number())
      ->capture_default_str();
  command->add_option("--image-imbalance", o.image_imbalance, "largest relative deviation of that time, 0 to 1")
      ->check(command_line::in_range(0.0, 1.0))
      ->capture_default_str();
  command->add_option("--image-bytes", o.image_bytes, "bytes of a rank's part of a picture")
      ->check(CLI::Range(8, 1 << 26))
      ->capture_default_str();
  command->add_option("--warm-up", o.warm_up, "steps before the measurement; 0: as many as are measured")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  command->add_option("--steps", o.steps, "number of steps that are measured")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->callback([&action, options] {
    action = [options](mpi::Communicator& world) {
      bench::steps(world, *options);
      return 0;
    };
  });
}

void add_network(CLI::App& parent, command_line::Action& action) {
  auto options = std::make_shared<bench::NetworkOptions>();
  auto& o = *options;
  auto* command = parent.add_subcommand(
      "network", "Measures latency, overhead, rate and overlap fraction of messages, for weft predict.");
  add_form(*command, o);
  command->add_option("--seconds", o.seconds, "approximate measuring time in seconds; default: 20, quick 5")
      ->check(command_line::positive_number());
  command->callback([&action, options] {
    action = [options](mpi::Communicator& world) {
      bench::network(world, *options);
      return 0;
    };
  });
}

void add_pipelines(CLI::App& parent, command_line::Action& action) {
  auto options = std::make_shared<bench::PipelinesOptions>();
  auto& o = *options;
  auto* command = parent.add_subcommand(
      "pipelines", "Runs a synthetic 3-D FFT and a synthetic compression, blocking and as pipelines of tiles.");
  add_form(*command, o, "--cases fft --tiles 1,4,16");
  const auto positive = [command](const char* name, auto& value, const char* about) {
    command->add_option(name, value, about)->check(command_line::positive_number())->capture_default_str();
  };
  command->add_option("--cases", o.cases, "programs: fft, compression")
      ->delimiter(',')
      ->check(CLI::IsMember({"fft", "compression"}))
      ->capture_default_str();
  command->add_option("--tiles", o.tiles, "planes, or blocks, per tile")
      ->delimiter(',')
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  command->add_option("--windows", o.windows, "tiles in flight at once")
      ->delimiter(',')
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  add_progress(*command, o.progress);
  command->add_option("--turns", o.turns, "number of repetitions of all methods")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--extent", o.extent, "fft: points along each axis of the cube")
      ->check(CLI::Range(2, 4096))
      ->capture_default_str();
  positive("--point-bytes", o.point_bytes, "fft: bytes of a number");
  positive("--flops", o.flops,
           "fft: floating-point operations per second of a rank; a line of n points needs 5 n log2 n");
  positive("--bytes", o.bytes, "compression: total size of the input in bytes");
  positive("--block-bytes", o.block_bytes, "compression: size of a block in bytes");
  positive("--compress-rate", o.compress_rate, "compression: input of a rank in bytes per second");
  positive("--ratio", o.ratio, "compression: output size / input size");
  command->add_option("--variation", o.variation, "compression: largest relative deviation of a block, 0 to 1")
      ->check(command_line::in_range(0.0, 1.0))
      ->capture_default_str();
  command->callback([&action, options] {
    action = [options](mpi::Communicator& world) {
      bench::pipelines(world, *options);
      return 0;
    };
  });
}

}  // namespace

void add_bench_models(CLI::App& parent, command_line::Action& action) {
  add_pipelines(parent, action);
  add_core(parent, action);
  add_halo_scaling(parent, action);
  add_steps(parent, action);
  add_network(parent, action);
}

}  // namespace weft::bench
