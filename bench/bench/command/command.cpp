// SPDX-License-Identifier: BSD-3-Clause
#include "bench/command/command.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bench/clock/clock.hpp"
#include "bench/coalesce/coalesce.hpp"
#include "bench/command/form.hpp"
#include "bench/command/subcommands.hpp"
#include "bench/halo/halo.hpp"
#include "bench/kernel/kernel.hpp"
#include "bench/monitors/monitors.hpp"
#include "bench/pack/pack.hpp"
#include "bench/setup/setup.hpp"
#include "command_line/number_check.hpp"
#include "insitu/scene.hpp"
#include "lattice/model.hpp"
#include "pack/codec.hpp"

namespace weft::bench {

namespace {

void add_clock(CLI::App& parent, command_line::Action& action) {
  auto options = std::make_shared<bench::ClockBenchOptions>();
  auto& o = *options;
  auto* command =
      parent.add_subcommand("clock", "Measures how accurately ping-pongs synchronise one clock for all ranks.");
  add_form(*command, o, "--pings 500");
  const auto add = [&](const char* option, auto& value, auto least, auto most, const char* about) {
    command->add_option(option, value, about)->check(CLI::Range(least, most))->capture_default_str();
  };
  add("--pings", o.pings, 1, 100000, "round trips per measurement");
  add("--skew", o.skew, 0.0, 1e5, "largest offset that is added to each rank's clock, in seconds, either way");
  add("--drift", o.drift, 0.0, 1e-4, "largest drift that is added to each rank's clock, relative, either way");
  command->add_option("--seconds", o.seconds, "approximate measuring time in seconds; default: 30, quick 10")
      ->check(command_line::positive_number());
  command->callback([&action, options] {
    action = [options](mpi::Communicator& world) {
      options->library_clock = [] { return MPI_Wtime(); };
      bench::clock(world, *options);
      return 0;
    };
  });
}

void add_coalesce(CLI::App& parent, command_line::Action& action) {
  struct All : bench::CoalesceOptions {
    std::string progress_name = name_of(ProgressOptions::Kind::polling);
  };
  auto options = std::make_shared<All>();
  auto& o = *options;
  auto* command =
      parent.add_subcommand("coalesce", "Compares one exchange for all clients with one exchange per client.");
  add_form(*command, o, "--images 10,100");
  command->add_option("--case", o.case_file, "case file of the vessel; default: a straight synthetic vessel");
  command->add_option("--sites", o.sites, "sites of the synthetic vessel")
      ->check(CLI::Range(1000, 100000000))
      ->capture_default_str();
  auto* clients = command->add_option("--clients", o.clients, "numbers of additional small clients")
                      ->delimiter(',')
                      ->check(CLI::Range(0, 64))
                      ->capture_default_str();
  command->add_option("--bytes", o.bytes, "bytes that each small client sends to each neighbour")
      ->check(CLI::Range(8, 1 << 24))
      ->capture_default_str();
  command->add_option("--seconds", o.seconds, "approximate measuring time in seconds; default: 120, quick 24")
      ->check(command_line::positive_number());
  auto* images = command->add_option("--images", o.images, "numbers of pictures per run, instead of small clients")
                     ->delimiter(',')
                     ->check(CLI::Range(1, 1000000))
                     ->excludes(clients);
  command->add_option("--steps", o.steps, "steps of a run with pictures; default: 2000, quick 1000")
      ->check(CLI::Range(4, 100000000))
      ->needs(images);
  command->add_option("--picture-size", o.picture_size, "pixels along each edge of a picture; default: 512, quick 256")
      ->check(CLI::Range(insitu::Scene::least_pixels, insitu::Scene::most_pixels))
      ->needs(images);
  command->add_option("--turns", o.turns, "runs with pictures of each kind; default: 3, quick 1")
      ->check(CLI::Range(1, 1000))
      ->needs(images);
  command->add_option("--progress", o.progress_name, "progress of messages: " + weft::progress_names.list())
      ->capture_default_str();
  command->callback([&action, options] {
    action = [options](mpi::Communicator& world) {
      options->progress = progress_kind(options->progress_name);
      options->reads = {options->case_file};
      bench::coalesce(world, *options);
      return 0;
    };
  });
}

void add_halo(CLI::App& parent, command_line::Action& action) {
  struct All : bench::HaloBenchOptions {
    std::vector<std::string> size_names, layout_names{"aos", "soa"}, scheme_names{"by_dimension", "direct"},
        progress_names{"passive", "polling", "thread"};
    std::string overlap_size_name = "64";
    bool exchange_only = false, overlap_only = false;
  };
  auto options = std::make_shared<All>();
  auto& o = *options;
  auto* command = parent.add_subcommand(
      "halo", "Measures halo exchanges of a D3Q19 grid by all methods, against plain MPI and memcpy.");
  add_form(*command, o, "--sizes 16,64 --exchange-only");
  command
      ->add_option("--sizes", o.size_names,
                   "points of a rank's block, as 64 or 32x48x64; default: ten sizes, and 96^3 over all ranks")
      ->delimiter(',');
  command
      ->add_option("--layouts", o.layout_names, "memory layouts: array of structures (aos), structure of arrays (soa)")
      ->delimiter(',')
      ->check(CLI::IsMember({"aos", "soa"}))
      ->capture_default_str();
  command->add_option("--schemes", o.scheme_names, "by_dimension: three rounds; direct: all neighbours at once")
      ->delimiter(',')
      ->check(CLI::IsMember(halo_scheme_names.without(HaloOptions::Scheme::reference).all()))
      ->capture_default_str();
  command
      ->add_option("--progress", o.progress_names,
                   "progress of messages in the overlap measurements: " + weft::progress_names.list())
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--overlap-size", o.overlap_size_name, "points of a rank's block in the overlap measurements")
      ->capture_default_str();
  auto* only = command->add_flag("--exchange-only", o.exchange_only, "do not measure overlap");
  command->add_flag("--overlap-only", o.overlap_only, "measure only overlap")->excludes(only);
  command->add_flag("--single", o.single, "numbers of 4 bytes; default: 8 bytes");
  command->add_option("--seconds", o.seconds, "approximate measuring time in seconds; default: 300, quick 26")
      ->check(command_line::positive_number());
  command->callback([&action, options] {
    action = [options](mpi::Communicator& world) {
      auto& o = *options;
      for (const auto& name : o.size_names) o.sizes.push_back(bench::parse_size(name));
      o.overlap_size = bench::parse_size(o.overlap_size_name);
      o.layouts.clear();
      for (const auto& name : o.layout_names)
        o.layouts.push_back(name == "aos" ? bench::Layout::aos : bench::Layout::soa);
      o.schemes.clear();
      for (const auto& name : o.scheme_names) o.schemes.push_back(halo_scheme_names.named(name));
      o.progress.clear();
      for (const auto& name : o.progress_names) o.progress.push_back(progress_kind(name));
      o.exchange = !o.overlap_only;
      o.overlap = !o.exchange_only;
      bench::halo(world, o);
      return 0;
    };
  });
}

void add_kernel(CLI::App& parent, command_line::Action& action) {
  struct All : bench::KernelOptions {
    std::vector<std::string> size_names, kernel_names{"dense", "sparse"},
        precision_names = lattice::precision_names.all(),
        velocity_names{lattice::velocity_set_names.of(lattice::VelocitySet::d3q19)},
        collision_names{lattice::collision_names.of(lattice::Collision::trt)},
        advection_names{lattice::advection_names.of(lattice::Advection::plain)};
    std::string instruction_name{lattice::instruction_set_names.of(lattice::InstructionSet::best)};
  };
  auto options = std::make_shared<All>();
  auto& o = *options;
  auto* command = parent.add_subcommand(
      "kernel", "Measures the lattices' kernels, one core per rank, against the bandwidth of the memory.");
  add_form(*command, o, "--sizes 128 --precision fp32");
  command
      ->add_option("--sizes", o.size_names,
                   "points of a rank's block, as 128 or 64x128x128; default: 128,256, quick 128")
      ->delimiter(',');
  command
      ->add_option("--vessels", o.vessels,
                   "case files of vessels, or numbers of sites of synthetic vessels; default: 4000000, quick 2000000")
      ->delimiter(',');
  const auto add = [&](const char* option, auto& value, const std::vector<std::string>& names,
                       const std::string& about) {
    return command->add_option(option, value, about)
        ->check(CLI::IsMember(names, CLI::ignore_case))
        ->capture_default_str();
  };
  const auto add_names = [&](const char* option, auto& value, const auto& names, const char* more = "") {
    return add(option, value, names.all(), names.list() + more);
  };
  add("--kernels", o.kernel_names, {"dense", "sparse"}, "dense: on blocks; sparse: on blocks and vessels")
      ->delimiter(',');
  add_names("--precision", o.precision_names, lattice::precision_names)->delimiter(',');
  add_names("--velocities", o.velocity_names, lattice::velocity_set_names, "; D2Q9: only dense")->delimiter(',');
  add_names("--collision", o.collision_names, lattice::collision_names)->delimiter(',');
  add_names("--advection", o.advection_names, lattice::advection_names, "; corrected: only cumulants of D3Q27, sparse")
      ->delimiter(',');
  add_names("--instructions", o.instruction_name, lattice::instruction_set_names);
  command->add_flag("--wraps", o.wraps,
                    "make the last axis of a dense block periodic in itself, as on a rank without neighbours along it");
  command->add_option("--seconds", o.seconds, "approximate measuring time in seconds; default: 240, quick 30")
      ->check(command_line::positive_number());
  command->callback([&action, options] {
    action = [options](mpi::Communicator& world) {
      auto& o = *options;
      const auto choose_all = [](auto& values, const auto& names, const std::vector<std::string>& chosen) {
        values.clear();
        for (const auto& name : chosen) values.push_back(names.find_in_any_case(name).value());
      };
      for (const auto& name : o.size_names) o.sizes.push_back(bench::parse_size(name));
      const auto is_asked = [&](const char* name) {
        return std::ranges::find(o.kernel_names, name) != o.kernel_names.end();
      };
      o.dense = is_asked("dense");
      o.sparse = is_asked("sparse");
      choose_all(o.precisions, lattice::precision_names, o.precision_names);
      choose_all(o.velocities, lattice::velocity_set_names, o.velocity_names);
      choose_all(o.collisions, lattice::collision_names, o.collision_names);
      choose_all(o.advections, lattice::advection_names, o.advection_names);
      o.instruction_set = lattice::instruction_set_names.find_in_any_case(o.instruction_name).value();
      o.reads.assign(o.vessels.begin(), o.vessels.end());  // numbers of sites are not existing files
      bench::kernel(world, o);
      return 0;
    };
  });
}

void add_monitors(CLI::App& parent, command_line::Action& action) {
  struct All : bench::MonitorBenchOptions {
    std::string progress_name = name_of(ProgressOptions::Kind::polling);
  };
  auto options = std::make_shared<All>();
  auto& o = *options;
  auto* command = parent.add_subcommand("monitors", "Measures the cost of a flow's monitors in every step.");
  add_form(*command, o, "--sites 50000,200000");
  command->add_option("--case", o.case_file, "case file of the vessel; default: straight synthetic vessels");
  command->add_option("--sites", o.sites, "sites of the synthetic vessels")
      ->delimiter(',')
      ->check(CLI::Range(1000, 100000000))
      ->capture_default_str();
  command->add_option("--seconds", o.seconds, "approximate measuring time in seconds; default: 120, quick 24")
      ->check(command_line::positive_number());
  command->add_option("--progress", o.progress_name, "progress of messages: " + weft::progress_names.list())
      ->capture_default_str();
  command->callback([&action, options] {
    action = [options](mpi::Communicator& world) {
      options->progress = progress_kind(options->progress_name);
      options->reads = {options->case_file};
      bench::monitors(world, *options);
      return 0;
    };
  });
}

void add_pack_bench(CLI::App& parent, command_line::Action& action) {
  auto options = std::make_shared<bench::PackBenchOptions>();
  auto& o = *options;
  auto* command = parent.add_subcommand(
      "pack",
      "Measures parallel compression: pipelined, compress-then-gather, and other programs (lbzip2, pbzip2, zstd).");
  add_form(*command, o, "--codecs bzip2 --bytes 50MB");
  command->add_option("FILES", o.files, "files to compress; default: files gathered from /usr");
  command->add_option("--bytes", o.bytes, "largest size of the input, as 50MB; quick: 60 MB")
      ->transform(CLI::AsSizeValue(true))
      ->capture_default_str();
  command->add_option("--codecs", o.codecs, "codecs to measure: zstd, bzip2, gzip, xz")
      ->delimiter(',')
      ->capture_default_str();
  command->add_option("--window", o.window, "results of a rank in flight at once")
      ->check(CLI::Range(0, 64))
      ->capture_default_str();
  command->add_flag("!--no-tools", o.tools, "do not measure lbzip2, pbzip2 and zstd");
  command->add_option("--seconds", o.seconds, "approximate measuring time per codec in seconds; default: 60, quick 18")
      ->check(command_line::positive_number());
  command->callback([&action, options] {
    action = [options](mpi::Communicator& world) {
      for (const auto& codec : options->codecs) pack::format_named(codec);
      options->reads.assign(options->files.begin(), options->files.end());
      bench::pack(world, *options);
      return 0;
    };
  });
}

void add_setup(CLI::App& parent, command_line::Action& action) {
  auto options = std::make_shared<bench::SetupBenchOptions>();
  auto& o = *options;
  auto* command = parent.add_subcommand(
      "setup", "Measures time and memory of a vessel's set-up, from its surface to each rank's sites.");
  add_form(*command, o);
  command->footer(
      "Examples:\n"
      "  mpirun -n 2 weft bench setup --case case.toml --quick\n"
      "  mpirun -n 2 weft bench setup --case case.toml --sites 0 --json setup.json\n"
      "Documentation: docs/bench.md");
  command->add_option("--case", o.case_file, "case file of the vessel")->required();
  command
      ->add_option("--sites", o.sites, "approximate number of sites, by another voxel size; 0: voxel size of the case")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{10'000'000'000}))
      ->capture_default_str();
  command->add_option("--repeats", o.repeats, "number of set-ups; default: 7, quick 3")->check(CLI::Range(1, 1000));
  command->callback([&action, options] {
    action = [options](mpi::Communicator& world) {
      options->reads = {options->case_file};
      bench::setup(world, *options);
      return 0;
    };
  });
}

}  // namespace

void add_bench(CLI::App& weft, command_line::Action& action) {
  auto* command =
      weft.add_subcommand("bench", "Runs a benchmark, and prints medians and quartiles of its measurements.");
  command->require_subcommand(1);
  command->footer(
      "Examples:\n"
      "  mpirun -n 2 weft bench halo --quick\n"
      "  weft bench halo --help\n"
      "Documentation: docs/bench.md");
  add_bench_accuracy(*command, action);
  add_clock(*command, action);
  add_coalesce(*command, action);
  add_bench_collectives(*command, action);
  add_bench_engine(*command, action);
  add_bench_foreign(*command, action);
  add_bench_models(*command, action);
  add_bench_fft(*command, action);
  add_halo(*command, action);
  add_kernel(*command, action);
  add_monitors(*command, action);
  add_pack_bench(*command, action);
  add_bench_robustness(*command, action);
  add_setup(*command, action);
  add_bench_wave(*command, action);
}

}  // namespace weft::bench
