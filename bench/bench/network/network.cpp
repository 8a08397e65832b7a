// SPDX-License-Identifier: BSD-3-Clause
#include "bench/network/network.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <memory>

#include "bench/shared/rotation.hpp"
#include "bench/shared/spend.hpp"
#include "weft/clock.hpp"
#include "weft/error.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/simulated.hpp"
#include "weft/timeline/overlap_fraction.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {
namespace {

constexpr std::size_t small_bytes = 8, large_bytes = 262144;
constexpr int several = 8;  // messages of an exchange, to measure the cost of one more

// Messages of one size to and from one peer, in both directions at once.
class PeerExchange {
 public:
  PeerExchange(Transport& world, int peer, std::size_t bytes, int messages, std::shared_ptr<Progress> progress,
               bool reduces, bool asleep)
      : asleep_(asleep), out_(bytes * static_cast<std::size_t>(messages)), in_(out_.size()),
        exchange_(world, {.messages = {.grouping = Grouping::per_part, .watchdog_seconds = 60},
                          .progress = std::move(progress)}) {
    auto& client = exchange_.client("network");
    for (int k = 0; k < messages; ++k) {
      const auto at = bytes * static_cast<std::size_t>(k);
      client.send(peer, static_cast<Key>(k), contiguous(std::span<const std::byte>(out_).subspan(at, bytes)));
      client.receive(peer, static_cast<Key>(k), contiguous(std::span(in_).subspan(at, bytes)));
    }
    if (reduces) client.all_reduce(std::span<const double>(&one_, 1), std::span(&all_, 1), sum<double>());
    exchange_.commit();
  }
  // Seconds of an exchange during which the rank computes for so long, with progress calls in between.
  double run(double compute) {
    constexpr int pieces = 16;
    const double from = now_seconds();
    auto messages = exchange_.start();
    messages.ready_all(0, 0);
    for (int k = 0; k < pieces && compute > 0; ++k) {
      (asleep_ ? spend_asleep : spend)(compute / pieces);
      messages.progress();
    }
    messages.wait();
    return now_seconds() - from;
  }

 private:
  bool asleep_;  // sleeps instead of computing, with more ranks than cores
  std::vector<std::byte> out_, in_;
  double one_ = 1, all_ = 0;
  Exchange exchange_;
};

// Seconds per exchange of batches, of the slowest rank; as many batches as fit into the time.
std::vector<double> batches(Transport& world, PeerExchange& exchange, double compute, double seconds) {
  barrier(world);
  for (int i = 0; i < 3; ++i) exchange.run(compute);
  const double one = all_reduce(world, exchange.run(compute), maximum<double>());
  const int repeats = simulated::here ? 3 : static_cast<int>(std::clamp(seconds / 20 / one, 2.0, 2000.0));
  const int batches = simulated::here ? 3 : static_cast<int>(std::clamp(seconds / (one * repeats), 5.0, 50.0));
  std::vector<double> samples;
  for (int b = 0; b < batches; ++b) {
    barrier(world);
    exchange.run(compute);  // not timed, since ranks may leave the barrier late
    const double from = now_seconds();
    for (int i = 0; i < repeats; ++i) exchange.run(compute);
    samples.push_back(all_reduce(world, (now_seconds() - from) / repeats, maximum<double>()));
  }
  return samples;
}

Spread each(const Spread& a, const Spread& b, auto&& what) {
  return {what(a.median, b.median), what(a.low, b.high), what(a.high, b.low)};
}

// Sorts the quartiles, which a difference of spreads may have swapped.
Spread in_order(Spread s) {
  const auto [low, high] = std::minmax({s.median, s.low, s.high});
  return {std::max(0.0, s.median), std::max(0.0, low), std::max(0.0, high)};
}

struct NetworkBench {
  mpi::Communicator& world;
  Report& report;
  double seconds;  // per measurement

  Spread measure(int peer, std::size_t bytes, int messages, double compute = 0,
                 ProgressOptions::Kind kind = ProgressOptions::Kind::passive, bool reduces = false) {
    PeerExchange exchange(world, peer, bytes, messages,
                          std::make_shared<Progress>(world, ProgressOptions{.kind = kind}), reduces,
                          report.more_ranks_than_cores());
    return spread_of(batches(world, exchange, compute, seconds));
  }
  void tell(const std::string& path, const std::string& parameter, const Spread& s, const std::string& unit) {
    report.result(path + ": " + parameter, s, unit, {.key = {{"path", path}, {"parameter", parameter}}});
  }
  void path(const std::string& name, int peer);
  std::map<std::size_t, Spread> bytes_of(int peer, const Spread& one);
  void overlap(int peer);
};

void NetworkBench::path(const std::string& name, int peer) {
  const auto self = world.rank();
  const auto nothing = measure(self, small_bytes, 1);  // a wait without messages from other ranks
  const auto one = measure(peer, small_bytes, 1), many = measure(peer, small_bytes, several);
  const auto overhead = in_order(each(many, one, [](double m, double o) { return (m - o) / (several - 1); }));
  const auto latency = in_order({one.median - overhead.median - nothing.median, one.low - overhead.high - nothing.high,
                                 one.high - overhead.low - nothing.low});
  tell(name, "latency", scaled(latency, 1e6), "us");
  tell(name, "overhead", scaled(overhead, 1e6), "us");
  tell(name, "point", scaled(nothing, 1e6), "us");
  for (const auto& [bytes, each_byte] : bytes_of(peer, one))
    report.result(fmt::format("{}: byte of {}", name, bytes), scaled(each_byte, 1e9), "ns",
                  {.key = {{"path", name}, {"parameter", "byte"}, {"bytes", bytes}}});
}

// Seconds per byte of messages, by size. They may jump at the library's eager limit, so the jump is located between the
// two sizes that differ most, to 1/32 of their distance.
std::map<std::size_t, Spread> NetworkBench::bytes_of(int peer, const Spread& one) {
  std::map<std::size_t, Spread> of;
  const auto sample = [&](std::size_t bytes) {
    const auto add = [&](double t, double o) { return (t - o) / static_cast<double>(bytes); };
    of[bytes] = in_order(each(measure(peer, bytes, 1), one, add));
  };
  for (std::size_t bytes = 1024; bytes <= 4 * large_bytes; bytes *= 4) sample(bytes);
  std::size_t from = 0, to = 0;
  double most = 1.2;
  for (auto a = of.begin(), b = std::next(a); b != of.end(); ++a, ++b) {
    const bool differ = a->second.low > b->second.high || b->second.low > a->second.high;
    const double more = std::max(a->second.median / b->second.median, b->second.median / a->second.median);
    if (differ && more > most) from = a->first, to = b->first, most = more;
  }
  for (int halved = 0; halved < 5 && from > 0; ++halved) {
    const auto middle = (from + to) / 2;
    sample(middle);
    const double here = of[middle].median;
    (std::abs(here - of[from].median) < std::abs(here - of[to].median) ? from : to) = middle;
  }
  return of;
}

// Measures the overlap fraction of a small and of a large message between the halves, and the time of the MPI library's
// all-reduce.
void NetworkBench::overlap(int peer) {
  using Kind = ProgressOptions::Kind;
  std::vector<Kind> kinds{Kind::passive, Kind::polling};
  if (!simulated::here && world.thread_multiple()) kinds.push_back(Kind::thread);
  for (const auto bytes : {small_bytes, large_bytes}) {
    const auto alone = measure(peer, bytes, 1);
    for (const auto kind : kinds) {
      // The computation with only a few bytes sent to the rank itself.
      const auto computes = measure(world.rank(), small_bytes, 1, alone.median, kind),
                 both = measure(peer, bytes, 1, alone.median, kind);
      const auto share = each(both, computes, [&](double b, double c) { return overlap_fraction(alone.median, c, b); });
      tell(name_of(kind), bytes == small_bytes ? "small" : "large", {share.median, share.high, share.low}, "");
    }
  }
  const auto one = measure(peer, small_bytes, 1), reduced = measure(peer, small_bytes, 1, 0, Kind::passive, true);
  const auto doublings = std::max(1.0, std::ceil(std::log2(world.size())));
  tell("all-reduce", "doubling",
       scaled(in_order(each(reduced, one, [&](double r, double o) { return (r - o) / doublings; })), 1e6), "us");
}

}  // namespace

void network(mpi::Communicator& world, const NetworkOptions& options) {
  const int ranks = world.size(), rank = world.rank();
  if (ranks < 2) throw InputError("This benchmark needs at least two ranks. Start it with mpirun -n 2.", true);
  Report report("network", world, options);
  const double seconds = options.seconds_or(5, 20);
  NetworkBench bench{world, report, seconds / 36};
  const int half = ranks / 2;
  const auto self_if_odd = [&](int peer) { return peer < ranks ? peer : rank; };
  const int far = rank < 2 * half ? (rank + half) % (2 * half) : rank;
  bool is_far = simulated::here && ranks > 2;
  if (!simulated::here) is_far = all_reduce(world, world.shares_memory_with(far) ? 0 : 1, maximum<int>()) > 0;
  report.setting("eager_bytes", world.eager_limit_bytes());
  const int near = self_if_odd(rank ^ 1);
  const bool is_near =
      simulated::here || all_reduce(world, near != rank && world.shares_memory_with(near) ? 1 : 0, maximum<int>()) > 0;
  if (is_near) bench.path("near", near);
  if (is_far) bench.path("far", far);
  bench.overlap(is_far ? far : near);
  report.note(
      "near: between neighbouring ranks; far: between the two halves of the ranks. All ranks communicate at once.");
  report.note(
      "passive, polling, thread: the overlap fraction of a small and of a large message with an equally long "
      "computation.");
  report.finish(world);
}

}  // namespace weft::bench
