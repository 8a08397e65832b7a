// SPDX-License-Identifier: BSD-3-Clause
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "bench/clock/clock.hpp"
#include "bench/coalesce/coalesce.hpp"
#include "bench/command/form.hpp"
#include "bench/command/subcommands.hpp"
#include "bench/engine/engine.hpp"
#include "bench/fft/fft.hpp"
#include "bench/graph/graph.hpp"
#include "bench/halo/halo.hpp"
#include "bench/kernel/kernel.hpp"
#include "bench/languages/languages.hpp"
#include "bench/monitors/monitors.hpp"
#include "bench/pack/pack.hpp"
#include "bench/setup/setup.hpp"
#include "bench/wave/wave.hpp"
#include "command_line/run_options.hpp"
#include "insitu/scene.hpp"
#include "lattice/model.hpp"
#include "pack/codec.hpp"

namespace weft::bench {

namespace {

constexpr const char* progress_help = "progress of messages";

void add_clock(CLI::App& bench, command_line::Action& action) {
  Form<ClockBenchOptions> form(
      bench, action, "clock", "Measures how accurately ping-pongs synchronise one clock for all ranks.", "--pings 500");
  auto& o = form.options;
  form.add("--pings", o.pings, "round trips per measurement", CLI::Range(1, 100000));
  form.add("--skew", o.skew, "largest offset that is added to each rank's clock, in seconds, either way",
           CLI::Range(0.0, 1e5));
  form.add("--drift", o.drift, "largest drift that is added to each rank's clock, relative, either way",
           CLI::Range(0.0, 1e-4));
  form.seconds(o.seconds, "30, quick 10");
  form.runs([](mpi::Communicator& world, ClockBenchOptions& o) {
    o.library_clock = [] { return MPI_Wtime(); };
    clock(world, o);
  });
}

void add_coalesce(CLI::App& bench, command_line::Action& action) {
  Form<CoalesceOptions> form(bench, action, "coalesce",
                             "Compares one exchange for all clients with one exchange per client.", "--images 10,100");
  auto& o = form.options;
  form.add("--case", o.case_file, "case file of the vessel; default: a straight synthetic vessel");
  form.add("--sites", o.sites, "sites of the synthetic vessel", CLI::Range(1000, 100000000));
  auto* clients = form.add("--clients", o.clients, "numbers of additional small clients", CLI::Range(0, 64));
  form.add("--bytes", o.bytes, "bytes that each small client sends to each neighbour", CLI::Range(8, 1 << 24));
  form.seconds(o.seconds, "120, quick 24");
  auto* images =
      form.add("--images", o.images, "numbers of pictures per run, instead of small clients", CLI::Range(1, 1000000))
          ->excludes(clients);
  form.add("--steps", o.steps, "steps of a run with pictures; default: 2000, quick 1000", CLI::Range(4, 100000000))
      ->needs(images);
  form.add("--picture-size", o.picture_size, "pixels along each edge of a picture; default: 512, quick 256",
           CLI::Range(insitu::Scene::least_pixels, insitu::Scene::most_pixels))
      ->needs(images);
  form.add("--repeats", o.repeats, "runs with pictures of each kind; default: 3, quick 1", CLI::Range(1, 1000))
      ->needs(images);
  form.named("--progress", o.progress, progress_names, progress_help);
  form.runs([](mpi::Communicator& world, CoalesceOptions& o) {
    o.reads = {o.case_file};
    coalesce(world, o);
  });
}

void add_engine(CLI::App& bench, command_line::Action& action) {
  Form<EngineBenchOptions> form(bench, action, "engine",
                                "Compares waves on refined levels by each progress mode with plain MPI, and measures "
                                "the cost of progress threads.",
                                "--cells 64 --blocks 16");
  auto& o = form.options;
  form.add("--cells", o.cells, "cells of level 0 along each axis; default: 32,64,96,128, quick 64",
           CLI::Range(8, 1024));
  form.add("--blocks", o.blocks, "cells of a block along each axis; default: 8,16,32, quick 16",
           CLI::IsMember({8, 16, 32}));
  form.add("--levels", o.levels, "refined levels above level 0", CLI::Range(0, 6));
  form.named("--progress", o.progress, progress_names, progress_help);
  form.named("--groupings", o.groupings, grouping_names, "which parts share a message");
  form.seconds(o.seconds, "300, quick 20");
  form.runs(engine);
}

void add_fft(CLI::App& bench, command_line::Action& action) {
  Form<FftBenchOptions> form(bench, action, "fft",
                             "Measures 3-D Fourier transforms: pipelined, blocking, plain MPI and FFTW's own.",
                             "--sizes 128");
  auto& o = form.options;
  form.parsed("--sizes", o.sizes, "points of the field, as 128 or 64x128x128; default: 64,128,256, quick 64,128",
              fft::size_named);
  form.named("--decomposition", o.decomposition, fft::decomposition_names, "decomposition of the field");
  form.named("--effort", o.effort, fft::effort_names, "planning effort of all plans");
  form.named("--carrier", o.carrier, fft::carrier_names, "how data are exchanged");
  form.named("--progress", o.progress, progress_names, progress_help);
  form.add("--tile", o.tile, "planes per tile; default: chosen automatically", CLI::Range(1, 1 << 20));
  form.add("--window", o.window, "tiles in flight at once; default: chosen automatically", CLI::Range(1, 1 << 20));
  form.seconds(o.seconds, "120, quick 20");
  const auto tune = std::make_shared<command_line::TuneOption>();
  tune->add_to(*form.command, {});
  form.runs([tune](mpi::Communicator& world, FftBenchOptions& o) {
    o.tune = tune->wanted();
    fft_transforms(world, o);
  });
}

void add_graph(CLI::App& bench, command_line::Action& action) {
  Form<GraphBenchOptions> form(bench, action, "graph",
                               "Measures set-up and exchange of graphs (random, 27-point, finite element), against "
                               "plain MPI and PETSc's star forest.",
                               "--seconds 60");
  form.seconds(form.options.seconds, "90, quick 15");
  form.runs([](mpi::Communicator& world, GraphBenchOptions& o) { graph(world, o); });
}

void add_halo(CLI::App& bench, command_line::Action& action) {
  Form<HaloBenchOptions> form(bench, action, "halo",
                              "Measures halo exchanges of a D3Q19 grid by all methods, against plain MPI and memcpy.",
                              "--sizes 16,64 --exchange-only");
  auto& o = form.options;
  form.parsed("--sizes", o.sizes,
              "points of a rank's block, as 64 or 32x48x64; default: ten sizes, and 96^3 over all ranks", parse_size);
  form.named("--layouts", o.layouts, layout_names, "memory layouts, array of structures or structure of arrays");
  form.named("--schemes", o.schemes, halo_scheme_names.without(HaloOptions::Scheme::reference),
             "all neighbours at once, or three rounds");
  form.named("--progress", o.progress, progress_names, "progress of messages in the overlap measurements");
  form.parsed("--overlap-size", o.overlap_size, "points of a rank's block in the overlap measurements", parse_size)
      ->default_str("64");
  auto* only = form.without("--exchange-only", o.overlap, "do not measure overlap");
  form.without("--overlap-only", o.exchange, "measure only overlap")->excludes(only);
  form.command->add_flag("--single", o.single, "numbers of 4 bytes; default: 8 bytes");
  form.seconds(o.seconds, "300, quick 26");
  form.runs(halo);
}

void add_kernel(CLI::App& bench, command_line::Action& action) {
  using namespace lattice;
  Form<KernelOptions> form(bench, action, "kernel",
                           "Measures the lattices' kernels, one core per rank, against the bandwidth of the memory.",
                           "--sizes 128 --precision fp32");
  auto& o = form.options;
  form.parsed("--sizes", o.sizes, "points of a rank's block, as 128 or 64x128x128; default: 128,256, quick 128",
              parse_size);
  form.add("--vessels", o.vessels,
           "case files of vessels, or numbers of sites of synthetic vessels; default: 4000000, quick 2000000");
  form.parts("--kernels", {"kernel", {{&o.dense, "dense"}, {&o.sparse, "sparse"}}},
             "dense: on blocks; sparse: on blocks and vessels");
  form.named("--precision", o.precisions, precision_names, "precision of the numbers");
  form.named("--storage", o.storages, storage_names, "storage of populations", "; fp16, fp16c: only with fp32");
  form.named("--velocities", o.velocities, velocity_set_names, "velocity sets", "; D2Q9: only dense");
  form.named("--collision", o.collisions, collision_names, "collision operators");
  form.named("--advection", o.advections, advection_names, "advection", "; corrected: only cumulants of D3Q27, sparse");
  form.named("--instructions", o.kernel.instruction_set, instruction_set_names, "instruction set");
  form.add("--prefetch", o.kernel.prefetch, "how many bytes ahead memory is asked for populations",
           CLI::Range(0, 1 << 20));
  form.command->add_flag("--wraps", o.wraps,
                         "make the last axis of a dense block periodic in itself, as on a rank without neighbours "
                         "along it");
  form.seconds(o.seconds, "240, quick 30");
  form.runs([](mpi::Communicator& world, KernelOptions& o) {
    o.reads.assign(o.vessels.begin(), o.vessels.end());  // numbers of sites are not existing files
    kernel(world, o);
  });
}

void add_languages(CLI::App& bench, command_line::Action& action) {
  Form<LanguagesOptions> form(bench, action, "languages",
                              "Compares C and Fortran with C++: a halo, a step and a commit.", "--seconds 30");
  form.seconds(form.options.seconds, "60, quick 15");
  form.runs(languages);
}

void add_monitors(CLI::App& bench, command_line::Action& action) {
  Form<MonitorBenchOptions> form(bench, action, "monitors", "Measures the cost of a flow's monitors in every step.",
                                 "--sites 50000,200000");
  auto& o = form.options;
  form.add("--case", o.case_file, "case file of the vessel; default: straight synthetic vessels");
  form.add("--sites", o.sites, "sites of the synthetic vessels", CLI::Range(1000, 100000000));
  form.seconds(o.seconds, "120, quick 24");
  form.named("--progress", o.progress, progress_names, progress_help);
  form.runs([](mpi::Communicator& world, MonitorBenchOptions& o) {
    o.reads = {o.case_file};
    monitors(world, o);
  });
}

void add_pack(CLI::App& bench, command_line::Action& action) {
  Form<PackBenchOptions> form(
      bench, action, "pack",
      "Measures parallel compression: pipelined, compress-then-gather, and other programs (lbzip2, pbzip2, zstd).",
      "--codecs bzip2 --bytes 50MB");
  auto& o = form.options;
  form.command->add_option("FILES", o.files, "files to compress; default: files gathered from /usr");
  form.add("--bytes", o.bytes, "largest size of the input, as 50MB; quick: 60 MB")->transform(CLI::AsSizeValue(true));
  form.parsed("--codecs", o.codecs, "codecs to measure: zstd, bzip2, gzip, xz",
              [](const std::string& codec) {
                pack::format_named(codec);
                return codec;
              })
      ->default_str("[" + CLI::detail::join(o.codecs, ",") + "]");
  form.add("--window", o.window, "results of a rank in flight at once", CLI::Range(0, 64));
  form.without("--no-tools", o.tools, "do not measure lbzip2, pbzip2 and zstd");
  form.add("--seconds", o.seconds, "approximate measuring time per codec in seconds; default: 60, quick 18",
           command_line::positive_number());
  form.runs([](mpi::Communicator& world, PackBenchOptions& o) {
    o.reads.assign(o.files.begin(), o.files.end());
    bench::pack(world, o);
  });
}

void add_setup(CLI::App& bench, command_line::Action& action) {
  Form<SetupBenchOptions> form(bench, action, "setup",
                               "Measures time and memory of a vessel's set-up, from its surface to each rank's sites.");
  auto& o = form.options;
  form.command->footer(
      "Examples:\n"
      "  mpirun -n 2 weft bench setup --case case.toml --quick\n"
      "  mpirun -n 2 weft bench setup --case case.toml --sites 0 --json setup.json\n"
      "Documentation: docs/bench.md");
  form.command->add_option("--case", o.case_file, "case file of the vessel")->required();
  form.add("--sites", o.sites, "approximate number of sites, by another voxel size; 0: voxel size of the case",
           CLI::Range(std::int64_t{0}, std::int64_t{10'000'000'000}));
  form.add("--repeats", o.repeats, "number of set-ups; default: 7, quick 3", CLI::Range(1, 1000));
  form.runs([](mpi::Communicator& world, SetupBenchOptions& o) {
    o.reads = {o.case_file};
    setup(world, o);
  });
}

void add_wave(CLI::App& bench, command_line::Action& action) {
  Form<WaveBenchOptions> form(bench, action, "wave", "Measures the speed of waves on refined levels.",
                              "--cells 64 --levels 2");
  auto& o = form.options;
  form.add("--cells", o.cells, "cells of level 0 along each axis", CLI::Range(8, 1024));
  form.add("--levels", o.levels, "refined levels above level 0", CLI::Range(0, 6));
  form.add("--block", o.block, "cells of a block along each axis", CLI::IsMember({8, 16, 32}));
  form.add("--laplacian", o.laplacian, "order of the Laplacian", CLI::IsMember({2, 4}));
  form.named("--progress", o.progress, progress_names, progress_help);
  form.named("--grouping", o.grouping, grouping_names, "which parts share a message");
  form.seconds(o.seconds, "60, quick 20");
  form.runs(wave);
}

void add_bench(CLI::App& weft, command_line::Action& action) {
  auto* command =
      weft.add_subcommand("bench", "Runs a benchmark, and prints medians and quartiles of its measurements.");
  command->require_subcommand(1);
  command->footer(
      "Examples:\n"
      "  mpirun -n 2 weft bench halo --quick\n"
      "  weft bench halo --help\n"
      "Documentation: docs/bench.md");
  for (const auto add : {add_clock, add_coalesce, add_bench_collectives, add_engine, add_bench_foreign,
                         add_bench_models, add_fft, add_graph, add_halo, add_kernel, add_languages, add_monitors,
                         add_pack, add_bench_robustness, add_setup, add_wave})
    add(*command, action);
}

// PETSc must not be linked here: a program beside this one measures the same with PETSc, if it was built. It has no
// help and no messages about options.
void become_petsc_graph(int argc, char** argv) {
  for (int k = 2; k < argc; ++k) {
    const std::string_view word(argv[k]);
    if (word == "--quick") continue;
    if ((word != "--seconds" && word != "--json") || ++k == argc) return;
  }
  std::error_code none;
  const auto here = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  execv((here / "petsc_graph").c_str(), argv + 1);  // returns if there is none
}

}  // namespace
}  // namespace weft::bench

int main(int argc, char** argv) {
  // foreign starts MPI programs, so it must not initialise MPI itself.
  if (argc > 1 && std::string_view(argv[1]) == "graph") weft::bench::become_petsc_graph(argc, argv);
  if (argc > 1 && std::string_view(argv[1]) == "foreign") return weft::bench::run_foreign(argc, argv);
  return weft::command_line::run_command(argc, argv, "bench", weft::bench::add_bench);
}
