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

// Several at once; a simulated machine has no threads.
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
          "who drives messages: " + CLI::detail::join(names, ", "))
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
  auto* command =
      parent.add_subcommand("halo-scaling", "one grid on all ranks: 6 messages in 3 rounds against 26 at once");
  add_form(*command, o);
  command->add_option("--extents", o.edges, "points along each axis of the grid")
      ->delimiter(',')
      ->check(CLI::Range(8, 4096))
      ->capture_default_str();
  command->add_option("--components", o.components, "numbers a point")->check(CLI::Range(1, 64))->capture_default_str();
  command
      ->add_option("--packed-limit", o.packed_limit,
                   "bytes up to which parts are packed; 0: the transport's eager limit")
      ->capture_default_str();
  command->add_option("--turns", o.turns, "of all ways, at least")->check(CLI::Range(1, 1000))->capture_default_str();
  command->add_option("--seconds", o.seconds, "time to measure for, about")
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
  auto* command = parent.add_subcommand("core", "what it takes to commit an exchange, on as many ranks as there are");
  add_form(*command, *options);
  command->add_option("--turns", options->turns, "commits")->check(CLI::Range(1, 1000))->capture_default_str();
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
      "steps", "a made-up lattice program: monitors and pictures, in one exchange or each in its own");
  add_form(*command, o);
  command->add_option("--sites", o.sites, "of the whole lattice")
      ->check(command_line::positive_number())
      ->capture_default_str();
  command->add_option("--seconds-per-site", o.seconds_per_site, "of a step")
      ->check(command_line::not_negative_number())
      ->capture_default_str();
  command->add_option("--imbalance", o.imbalance, "steps take up to so much longer")
      ->check(command_line::not_negative_number())
      ->capture_default_str();
  command->add_option("--steady-imbalance", o.steady_imbalance, "ranks have a share of so much more sites")
      ->check(command_line::not_negative_number())
      ->capture_default_str();
  auto ways = monitor_way_names.all();
  ways.insert(ways.begin(), "none");
  command->add_option("--monitors", o.monitors, CLI::detail::join(ways, ", "))
      ->delimiter(',')
      ->check(CLI::IsMember(ways))
      ->capture_default_str();
  command->add_option("--images", o.images, "in all steps")
      ->delimiter(',')
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  command->add_option("--modes", o.modes, "coalesced, separate")
      ->delimiter(',')
      ->check(CLI::IsMember({"coalesced", "separate"}))
      ->capture_default_str();
  command->add_flag("--sleep", o.sleep, "ranks that compute sleep: for more ranks than cores");
  add_progress(*command, o.progress);
  command->add_option("--image-seconds", o.image_seconds, "that a rank casts its part of one")
      ->check(command_line::not_negative_number())
      ->capture_default_str();
  command->add_option("--image-imbalance", o.image_imbalance, "up to so much more or less of that")
      ->check(command_line::in_range(0.0, 1.0))
      ->capture_default_str();
  command->add_option("--image-bytes", o.image_bytes, "of a rank's part")
      ->check(CLI::Range(8, 1 << 26))
      ->capture_default_str();
  command->add_option("--warm-up", o.warm_up, "steps before; 0: as many")
      ->check(CLI::Range(0, 1000000))
      ->capture_default_str();
  command->add_option("--steps", o.steps, "to run")->check(CLI::Range(1, 1000000))->capture_default_str();
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
  auto* command =
      parent.add_subcommand("network", "latency, overhead, rate, and what is hidden: what weft predict needs");
  add_form(*command, o);
  command->add_option("--seconds", o.seconds, "time to measure for, about; default: 20, quick 5")
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
      "pipelines", "a 3-D FFT and a compression, blocking and in tiles and windows; what they compute is made up");
  add_form(*command, o);
  const auto positive = [command](const char* name, auto& value, const char* about) {
    command->add_option(name, value, about)->check(command_line::positive_number())->capture_default_str();
  };
  command->add_option("--cases", o.cases, "fft, compression")
      ->delimiter(',')
      ->check(CLI::IsMember({"fft", "compression"}))
      ->capture_default_str();
  command->add_option("--tiles", o.tiles, "planes, or blocks, that travel together")
      ->delimiter(',')
      ->check(CLI::Range(1, 65536))
      ->capture_default_str();
  command->add_option("--windows", o.windows, "tiles in flight")
      ->delimiter(',')
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  add_progress(*command, o.progress);
  command->add_option("--turns", o.turns, "of all ways")->check(CLI::Range(1, 1000))->capture_default_str();
  command->add_option("--extent", o.extent, "fft: points along each axis of the cube")
      ->check(CLI::Range(2, 4096))
      ->capture_default_str();
  positive("--point-bytes", o.point_bytes, "fft: of a number");
  positive("--flops", o.flops, "fft: of a rank, a second; a line of n points is 5 n log2 n");
  positive("--bytes", o.bytes, "compression: in all");
  positive("--block-bytes", o.block_bytes, "compression: of a block");
  positive("--compress-rate", o.compress_rate, "compression: bytes of input a second of a rank");
  positive("--ratio", o.ratio, "compression: bytes of output a byte of input");
  command->add_option("--variation", o.variation, "compression: blocks differ by up to so much")
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
