// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "bench/halo_scaling.hpp"
#include "cli/bench_form.hpp"
#include "cli/command.hpp"

namespace weft::cli {
namespace {

void add_halo_scaling(CLI::App& parent, Action& action) {
  struct All : bench::HaloScalingOptions {
    std::vector<std::size_t> edges{96};
  };
  auto options = std::make_shared<All>();
  auto& o = *options;
  auto* command = parent.add_subcommand("halo-scaling", "one grid on all ranks: 6 messages in 3 rounds against 26 at once");
  add_form(*command, o);
  command->add_option("--extents", o.edges, "points along each axis of the grid")->delimiter(',')->check(CLI::Range(8, 4096))->capture_default_str();
  command->add_option("--components", o.components, "numbers a point")->check(CLI::Range(1, 64))->capture_default_str();
  command->add_option("--packed-limit", o.packed_limit, "bytes up to which parts are packed; 0: the transport's eager limit")->capture_default_str();
  command->add_option("--turns", o.turns, "of all ways, at least")->check(CLI::Range(1, 1000))->capture_default_str();
  command->add_option("--seconds", o.seconds, "time to measure for, about")->check(CLI::NonNegativeNumber)->capture_default_str();
  command->callback([&action, options] {
    action = [options](mpi::Communicator& world) {
      options->extents.clear();
      for (const auto n : options->edges) options->extents.push_back({n, n, n});
      bench::halo_scaling(world, *options);
      return 0;
    };
  });
}

}  // namespace

void add_bench_models(CLI::App& parent, Action& action) {
  add_halo_scaling(parent, action);
}

}  // namespace weft::cli
