// SPDX-License-Identifier: BSD-3-Clause
#include "bench/pipelines/pipelines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>

#include "bench/shared/spend.hpp"
#include "bench/shared/statistics.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/pipeline/pipeline.hpp"
#include "weft/simulated.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {
namespace {

struct Way {
  std::size_t tile, window;
  ProgressOptions::Kind progress;
};

// Iterations of a loop, or points of an axis, of one rank.
std::size_t part_of(std::size_t whole, int ranks, std::size_t rank) {
  const auto n = static_cast<std::size_t>(ranks);
  return whole / n + (rank < whole % n ? 1 : 0);
}

// One loop to be pipelined, and the time of its last run.
class Loop {
 public:
  explicit Loop(Transport& transport) : transport_(transport) {}
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  virtual ~Loop() = default;
  virtual std::size_t iterations() const = 0;  // of the rank with the most iterations
  virtual void run(const PipelineOptions& options) = 0;
  double seconds() const { return until_ - from_; }
  double spent() const { return spent_; }

 protected:
  void start() {
    barrier(transport_);
    spent_ = 0;
    from_ = now_seconds();
  }
  void stop() { until_ = now_seconds(); }
  void work(double seconds, const Tile& tile = {}) {
    const int pieces = tile.empty() ? 1 : 8;  // between which messages may be tested
    for (int i = 0; i < pieces; ++i) {
      spend(seconds / pieces);
      tile.progress();
    }
    spent_ += seconds;
  }
  Transport& transport_;

 private:
  double from_ = 0, until_ = 0, spent_ = 0;
};

class Transform final : public Loop {
 public:
  Transform(Transport& transport, const PipelinesOptions& o) : Loop(transport), n_(o.extent) {
    const auto ranks = transport.size();
    mine_ = part_of(n_, ranks, static_cast<std::size_t>(transport.rank()));
    const auto n = static_cast<double>(n_);
    line_seconds_ = 5 * n * std::log2(n) / o.flops;
    for (std::size_t r = 0; r < static_cast<std::size_t>(ranks); ++r) {
      const auto theirs = part_of(n_, ranks, r);
      plane_bytes_.push_back(
          static_cast<std::size_t>(std::llround(o.point_bytes * static_cast<double>(mine_ * theirs))));
    }
  }
  std::size_t iterations() const override { return n_; }
  void run(const PipelineOptions& options) override {
    struct Slot {
      std::vector<std::byte> out, in;
      std::unique_ptr<Operation> whole, last;
    };
    std::size_t plane = 0;
    for (const auto b : plane_bytes_) plane += b;
    std::vector<Slot> slots(options.window + 1);
    const auto rest = n_ % options.tile;
    for (auto& slot : slots) {
      slot.out.resize(plane * options.tile);
      slot.in.resize(plane * options.tile);
      slot.whole = all_to_all(slot.out, slot.in, options.tile);
      if (rest > 0) slot.last = all_to_all(slot.out, slot.in, rest);
    }
    start();
    work(static_cast<double>(mine_ * n_) * line_seconds_);
    const auto lines = [&](const Tile& tile) { return static_cast<double>(tile.count * mine_) * line_seconds_; };
    pipeline(
        transport_, n_, options, std::span(slots),
        [&](const Tile& tile, Slot&) {
          work(lines(tile), tile);
          simulated::copied(tile.count * plane);
        },
        [&](const Tile& tile, Slot& slot) -> Operation& {
          auto& operation = tile.count == options.tile ? *slot.whole : *slot.last;
          operation.start();
          return operation;
        },
        [&](const Tile& tile, Slot&) {
          simulated::copied(tile.count * plane);
          work(lines(tile), tile);
        });
    stop();
  }

 private:
  std::unique_ptr<Operation> all_to_all(std::vector<std::byte>& out, std::vector<std::byte>& in, std::size_t planes) {
    auto bytes = plane_bytes_;  // a rank receives as much from each rank as it sends to it
    std::size_t all = 0;
    for (auto& b : bytes) all += b *= planes;
    return transport_.collective({.kind = Collective::Kind::all_to_all,
                                  .in = std::span<const std::byte>(out).first(all),
                                  .out = std::span(in).first(all),
                                  .in_bytes = bytes,
                                  .out_bytes = bytes});
  }

  std::size_t n_, mine_ = 0;
  double line_seconds_ = 0;
  std::vector<std::size_t> plane_bytes_;
};

// A gather of variable sizes, which rank 0 receives first. All other ranks send sizes and data at once.
class Gathering final : public Operation {
 public:
  Gathering(Transport& transport, std::size_t slot) : transport_(transport), tag_(static_cast<int>(2 * slot)) {
    const auto one = [](std::uint64_t& size) { return std::as_writable_bytes(std::span(&size, 1)); };
    if (transport.rank() != 0) {
      sizes_.resize(1);
      operations_.push_back(transport.send(one(sizes_[0]), 0, tag_));
      return;
    }
    sizes_.resize(static_cast<std::size_t>(transport.size()) - 1);
    parts_.resize(sizes_.size());
    for (std::size_t r = 0; r < sizes_.size(); ++r)
      operations_.push_back(transport.receive(one(sizes_[r]), static_cast<int>(r) + 1, tag_));
  }
  void give(std::span<const std::byte> result) { result_ = result; }
  void start() override {
    data_.clear();
    if (transport_.rank() == 0) {
      data_.resize(sizes_.size());
      told_.assign(sizes_.size(), false);
    } else {
      sizes_[0] = result_.size();
      if (!result_.empty()) data_.push_back(transport_.send(result_, 0, tag_ + 1));
    }
    for (const auto& one : operations_) one->start();
    if (transport_.rank() != 0)
      for (const auto& one : data_) one->start();
  }
  bool test() override {
    bool all = true;
    for (std::size_t r = 0; r < operations_.size(); ++r) {
      if (transport_.rank() == 0 && !told_[r] && operations_[r]->test()) {
        told_[r] = true;
        parts_[r].resize(sizes_[r]);
        if (sizes_[r] > 0) {
          data_[r] = transport_.receive(parts_[r], static_cast<int>(r) + 1, tag_ + 1);
          data_[r]->start();
        }
      }
      all = (transport_.rank() == 0 ? told_[r] : operations_[r]->test()) && all;
    }
    for (const auto& one : data_) all = (!one || one->test()) && all;
    return all;
  }

 private:
  Transport& transport_;
  int tag_;
  std::span<const std::byte> result_;
  std::vector<std::uint64_t> sizes_;
  std::vector<bool> told_;
  Operations operations_, data_;
  std::vector<std::vector<std::byte>> parts_;  // received data
};

class Compression final : public Loop {
 public:
  Compression(Transport& transport, const PipelinesOptions& o) : Loop(transport), options_(o) {
    const auto blocks = static_cast<std::size_t>(std::ceil(o.bytes / o.block_bytes));
    mine_ = part_of(blocks, transport.size(), static_cast<std::size_t>(transport.rank()));
    most_ = part_of(blocks, transport.size(), 0);
  }
  std::size_t iterations() const override { return most_; }
  void run(const PipelineOptions& options) override {
    struct Slot {
      std::vector<std::byte> result;
      std::unique_ptr<Gathering> gathering;
    };
    std::vector<Slot> slots(options.window + 1);
    const double most = options_.block_bytes * options_.ratio * (1 + options_.variation);
    for (std::size_t k = 0; k < slots.size(); ++k) {
      slots[k].result.resize(static_cast<std::size_t>(most + 1) * options.tile);
      slots[k].gathering = std::make_unique<Gathering>(transport_, k);
    }
    start();
    pipeline(
        transport_, mine_, options, std::span(slots),
        [&](const Tile& tile, Slot& slot) {
          double bytes = 0;
          for (auto b = tile.first; b < tile.end(); ++b) {
            work(options_.block_bytes / options_.compress_rate * (1 + options_.variation * varies(2 * b)), tile);
            bytes += options_.block_bytes * options_.ratio * (1 + options_.variation * varies(2 * b + 1));
          }
          slot.gathering->give(std::span<const std::byte>(slot.result).first(static_cast<std::size_t>(bytes)));
        },
        [](const Tile&, Slot& slot) -> Operation& {
          slot.gathering->start();
          return *slot.gathering;
        },
        [](const Tile&, Slot&) {});
    stop();
  }

 private:
  // A number from -1 to 1, the same in each run.
  double varies(std::size_t what) const {
    auto h =
        (static_cast<std::uint64_t>(transport_.rank()) + 1) * 0x9e3779b97f4a7c15U ^ (what + 1) * 0xbf58476d1ce4e5b9U;
    h = (h ^ (h >> 31U)) * 0x94d049bb133111ebU;
    return static_cast<double>(h >> 11U) * 0x1p-52 - 1;
  }
  const PipelinesOptions& options_;
  std::size_t mine_ = 0, most_ = 0;
};

void measure(mpi::Communicator& world, const PipelinesOptions& o, const std::string& name, Loop& loop, Report& report) {
  std::vector<Way> ways{{std::max<std::size_t>(1, loop.iterations()), 0, ProgressOptions::Kind::passive}};
  for (const auto kind : o.progress)
    for (const auto window : o.windows)
      for (const auto tile : o.tiles)
        if (tile < ways[0].tile) ways.push_back({tile, window, kind});
  std::vector<std::vector<double>> seconds(ways.size());
  double computes = 0, waits = 0, best = 0, tiled = 0;
  for (std::size_t turn = 0; turn < o.repeats; ++turn)
    for (std::size_t w = 0; w < ways.size(); ++w) {
      Progress progress(world, {.kind = ways[w].progress});
      loop.run({.tile = ways[w].tile,
                .window = ways[w].window,
                .progress = &progress,
                .tiles = (loop.iterations() + ways[w].tile - 1) / ways[w].tile});
      seconds[w].push_back(all_reduce(world, loop.seconds(), maximum<double>()));
      if (w == 0) computes = all_reduce(world, loop.spent(), maximum<double>());
      if (w == 0) waits = all_reduce(world, loop.seconds() - loop.spent(), sum<double>()) / world.size();
    }
  const double blocking = spread_of(seconds[0]).median;
  report.result(name + ": computation of the slowest rank", computes, "s");
  report.result(name + ": blocking, not computing", waits, "s");
  for (std::size_t w = 0; w < ways.size(); ++w) {
    const auto& way = ways[w];
    const auto spread = spread_of(seconds[w]);
    const auto label =
        w == 0 ? "blocking" : fmt::format("tile {}, window {}, {}", way.tile, way.window, name_of(way.progress));
    report.result(
        fmt::format("{}: {}", name, label), spread, "s",
        {.key = {{"case", name}, {"tile", way.tile}, {"window", way.window}, {"progress", name_of(way.progress)}},
         .samples = seconds[w],
         .interval = {}});
    best = std::max(best, blocking / spread.median);
    if (way.tile == 1 && way.window == 1) tiled = std::max(tiled, blocking / spread.median);
  }
  report.figure(name + "_speedup", best);
  if (tiled > 0) report.figure(name + "_speedup_tile_1_window_1", tiled);
}

}  // namespace

void pipelines(mpi::Communicator& world, const PipelinesOptions& o) {
  Report report("pipelines", world, o);
  for (const auto& name : o.cases) {
    if (name == "fft") {
      report.setting("extent", o.extent);
      report.setting("point_bytes", o.point_bytes);
      report.setting("flops", o.flops);
      Transform loop(world, o);
      measure(world, o, name, loop, report);
    } else {
      report.setting("bytes", o.bytes);
      report.setting("block_bytes", o.block_bytes);
      report.setting("compress_rate", o.compress_rate);
      report.setting("ratio", o.ratio);
      report.setting("variation", o.variation);
      Compression loop(world, o);
      measure(world, o, name, loop, report);
    }
  }
  report.note("Speed-up: the time of blocking divided by the time of the best tile and window.");
  report.finish(world);
}

}  // namespace weft::bench
