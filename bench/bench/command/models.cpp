// SPDX-License-Identifier: BSD-3-Clause
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "bench/collectives/collectives.hpp"
#include "bench/command/form.hpp"
#include "bench/command/subcommands.hpp"
#include "bench/core/core.hpp"
#include "bench/device/device.hpp"
#include "bench/halo/halo_scaling.hpp"
#include "bench/network/network.hpp"
#include "bench/nodes/nodes.hpp"
#include "bench/pipelines/pipelines.hpp"
#include "bench/steps/steps.hpp"
#include "weft/collective/monitors.hpp"
#include "weft/simulated.hpp"

namespace weft::bench {
namespace {

using command_line::in_range;
using command_line::not_negative_number;
using command_line::positive_number;

// Simulated machines have no threads.
Names<ProgressOptions::Kind> available_progress() {
  using Kind = ProgressOptions::Kind;
  return simulated::here ? progress_names.without(Kind::thread).without(Kind::send_receive_threads) : progress_names;
}

void add_halo_scaling(CLI::App& bench, command_line::Action& action) {
  Form<HaloScalingOptions> form(
      bench, action, "halo-scaling",
      "Compares halo exchanges of one grid on all ranks: 6 messages in 3 rounds, and 26 at once.", "--extents 96,192");
  auto& o = form.options;
  form.add("--extents", o.extents, "points along each axis of the grid", CLI::Range(8, 4096));
  form.add("--components", o.components, "numbers per point", CLI::Range(1, 64));
  form.add("--packed-limit", o.packed_limit,
           "largest size of packed messages in bytes; 0: eager limit of the MPI library");
  form.add("--repeats", o.repeats, "smallest number of repetitions of all methods", CLI::Range(1, 1000));
  form.add("--seconds", o.seconds, "approximate measuring time in seconds", not_negative_number());
  form.runs(halo_scaling);
}

void add_core(CLI::App& bench, command_line::Action& action) {
  Form<CoreOptions> form(bench, action, "core",
                         "Measures the time of an exchange's commit, of a step, and of a part in it.", "--repeats 20");
  form.add("--repeats", form.options.repeats, "number of commits", CLI::Range(1, 1000));
  form.runs(core);
}

void add_steps(CLI::App& bench, command_line::Action& action) {
  Form<StepsOptions> form(
      bench, action, "steps",
      "Runs a synthetic lattice program with monitors and pictures, in one exchange or in one exchange each.",
      "--sites 100000 --images 0,10");
  auto& o = form.options;
  form.add("--sites", o.sites, "sites of the whole lattice", positive_number());
  form.add("--seconds-per-site", o.seconds_per_site, "computing time per site and step, in seconds",
           not_negative_number());
  form.add("--imbalance", o.imbalance, "largest random lengthening of a rank's step, as a share of it",
           not_negative_number());
  form.add("--steady-imbalance", o.steady_imbalance,
           "largest constant excess of a rank's sites, as a share of the mean", not_negative_number());
  auto ways = monitor_way_names.all();
  ways.insert(ways.begin(), "none");
  form.add("--monitors", o.monitors, "communication of the monitors: " + CLI::detail::join(ways, ", "),
           CLI::IsMember(ways));
  form.add("--images", o.images, "numbers of pictures in all steps", CLI::Range(0, 1000000));
  form.add("--modes", o.modes, "coalesced: one exchange for all clients; separate: one per client",
           CLI::IsMember({"coalesced", "separate"}));
  form.command->add_flag("--sleep", o.sleep, "sleep instead of computing, for more ranks than cores");
  form.named("--progress", o.progress, available_progress(), "progress of messages");
  form.add("--image-seconds", o.image_seconds, "time in seconds that a rank needs to draw its part of a picture",
           not_negative_number());
  form.add("--image-imbalance", o.image_imbalance, "largest relative deviation of that time, 0 to 1",
           in_range(0.0, 1.0));
  form.add("--image-bytes", o.image_bytes, "bytes of a rank's part of a picture", CLI::Range(8, 1 << 26));
  form.add("--warm-up", o.warm_up, "steps before the measurement; 0: as many as are measured", CLI::Range(0, 1000000));
  form.add("--steps", o.steps, "number of steps that are measured", CLI::Range(1, 1000000));
  form.runs(steps);
}

void add_network(CLI::App& bench, command_line::Action& action) {
  Form<NetworkOptions> form(bench, action, "network",
                            "Measures latency, overhead, rate and overlap fraction of messages, for weft predict.");
  form.seconds(form.options.seconds, "20, quick 5");
  form.runs(network);
}

void add_nodes(CLI::App& bench, command_line::Action& action) {
  Form<NodesOptions> form(
      bench, action, "nodes",
      "Compares messages between nodes: one for each pair of nodes, and one for each pair of ranks.",
      "--bytes 8,1024 --nodes 4");
  auto& o = form.options;
  form.add("--bytes", o.bytes, "bytes from a rank to each rank of other nodes", CLI::Range(1, 1 << 26));
  form.add("--nodes", o.nodes, "other nodes that a rank sends to; 0: all", CLI::Range(0, 1 << 20));
  form.seconds(o.seconds, "20, quick 4");
  form.runs(nodes);
}

void add_device(CLI::App& bench, command_line::Action& action) {
  Form<DeviceOptions> form(
      bench, action, "device",
      "Packs boxes and exchanges faces in memory of a device (CUDA or HIP; otherwise of weft's test device).",
      "--points 128");
  auto& o = form.options;
  form.add("--points", o.points, "points along each axis of a rank's block", CLI::Range(4, 1024));
  form.seconds(o.seconds, "20, quick 4");
  form.runs(device);
}

void add_pipelines(CLI::App& bench, command_line::Action& action) {
  Form<PipelinesOptions> form(
      bench, action, "pipelines",
      "Runs a synthetic 3-D FFT and a synthetic compression, blocking and as pipelines of tiles.",
      "--cases fft --tiles 1,4,16");
  auto& o = form.options;
  form.add("--cases", o.cases, "programs: fft, compression", CLI::IsMember({"fft", "compression"}));
  form.add("--tiles", o.tiles, "planes, or blocks, per tile", CLI::Range(1, 65536));
  form.add("--windows", o.windows, "tiles in flight at once", CLI::Range(0, 64));
  form.named("--progress", o.progress, available_progress(), "progress of messages");
  form.add("--repeats", o.repeats, "number of repetitions of all methods", CLI::Range(1, 1000));
  form.add("--extent", o.extent, "fft: points along each axis of the cube", CLI::Range(2, 4096));
  form.add("--point-bytes", o.point_bytes, "fft: bytes of a number", positive_number());
  form.add("--flops", o.flops,
           "fft: floating-point operations per second of a rank; a line of n points needs 5 n log2 n",
           positive_number());
  form.add("--bytes", o.bytes, "compression: total size of the input in bytes", positive_number());
  form.add("--block-bytes", o.block_bytes, "compression: size of a block in bytes", positive_number());
  form.add("--compress-rate", o.compress_rate, "compression: input of a rank in bytes per second", positive_number());
  form.add("--ratio", o.ratio, "compression: output size / input size", positive_number());
  form.add("--variation", o.variation, "compression: largest relative deviation of a block, 0 to 1",
           in_range(0.0, 1.0));
  form.runs(pipelines);
}

}  // namespace

void add_bench_models(CLI::App& bench, command_line::Action& action) {
  add_pipelines(bench, action);
  add_core(bench, action);
  add_halo_scaling(bench, action);
  add_steps(bench, action);
  add_network(bench, action);
  add_nodes(bench, action);
  add_device(bench, action);
}

void add_bench_collectives(CLI::App& bench, command_line::Action& action) {
  Form<CollectivesOptions> form(bench, action, "collectives",
                                "Measures MPI's collectives: times, delayed ranks, overlap with computation.",
                                "--operations allreduce,alltoall --sizes 8,65536");
  auto& o = form.options;
  form.add("--operations", o.operations,
           "operations, as allreduce,alltoall; default: all for time; barrier, allreduce, alltoall for delay; "
           "allreduce, alltoall for overlap");
  form.named("--kinds", o.kinds, collectives::kind_names, "kinds of collectives", " (weft's own)");
  form.add("--sizes", o.sizes, "message sizes in bytes, multiples of 8", CLI::Range(8, 1 << 26));
  form.parts("--experiments", {"measurement", {{&o.time, "time"}, {&o.delay, "delay"}, {&o.overlap, "overlap"}}},
             "measurements: time, delay, overlap");
  form.add("--deltas", o.deltas_us, "delays in us; default: 10,100,1000", in_range(0.0, 1e7));
  form.add("--delayed", o.delayed, "delayed ranks: a rank, random:N (N random ranks), or a file of delay patterns");
  form.named("--sync", o.sync, collectives::sync_names, "synchronisation before each run",
             " (agreed times of the global clock)");
  form.named("--progress", o.progress, progress_names, "progress of messages in the overlap measurements");
  form.add("--poll", o.poll_us, "us between two progress calls", not_negative_number());
  form.add("--ratio", o.ratio, "computation time / communication time in the overlap measurements",
           in_range(0.01, 100.0));
  form.add("--seed", o.seed, "seed of the order of measurements and of random delays");
  form.seconds(o.seconds, "300, quick 30");
  form.runs([](mpi::Communicator& world, CollectivesOptions& o) {
    o.reads = {o.delayed};
    return collectives_suite(world, o);
  });
}

}  // namespace weft::bench
