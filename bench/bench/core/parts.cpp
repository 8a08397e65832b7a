// SPDX-License-Identifier: BSD-3-Clause
#include "bench/core/parts.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>

#include "bench/shared/rotation.hpp"
#include "weft/exchange/exchange.hpp"
#include "weft/yield.hpp"

namespace weft::bench {
namespace {

constexpr std::size_t few = 1, many = 401;  // parts of 8 bytes; the many are eager in one message, too

// The numbers that are sent and received: no two of them are next to each other.
struct Numbers {
  explicit Numbers(std::size_t count) : out(2 * count, 1), in(2 * count) {
    for (std::size_t i = 0; i < count; ++i) places.push_back(2 * i);
  }
  std::vector<double> out, in;
  std::vector<std::size_t> places;
};

struct WeftParts : Numbers {
  WeftParts(Transport& world, const std::vector<int>& ranks, std::size_t count)
      : Numbers(ranks.size() * count), exchange(world, {.messages = {.packed_limit_bytes = many * sizeof(double)}}) {
    auto& client = exchange.client("parts");
    for (std::size_t i = 0; i < places.size(); ++i) {
      const int rank = ranks[i % ranks.size()];
      client.send(rank, i / ranks.size(), contiguous(std::span<const double>(&out[places[i]], 1)));
      client.receive(rank, i / ranks.size(), contiguous(std::span(&in[places[i]], 1)));
    }
  }
  void run() {
    auto started = exchange.start();
    started.ready_all(0, 0);
    started.wait();
  }
  Exchange exchange;
};

// The same in plain MPI. (The waits test and yield, as weft's do, for more ranks than cores.)
class PlainParts : Numbers {
 public:
  PlainParts(MPI_Comm comm, const std::vector<int>& ranks, std::size_t count, bool is_persistent)
      : Numbers(ranks.size() * count), comm_(comm), ranks_(ranks), count_(count), is_persistent_(is_persistent),
        sent_(places.size()), received_(places.size()), requests_(2 * ranks.size(), MPI_REQUEST_NULL) {
    for (std::size_t r = 0; r < ranks.size() && is_persistent; ++r) {
      MPI_Recv_init(&received_[r * count], bytes(), MPI_BYTE, ranks[r], 0, comm, &requests_[r]);
      MPI_Send_init(&sent_[r * count], bytes(), MPI_BYTE, ranks[r], 0, comm, &requests_[ranks.size() + r]);
    }
  }
  PlainParts(const PlainParts&) = delete;
  PlainParts& operator=(const PlainParts&) = delete;
  ~PlainParts() {
    for (auto& request : requests_)
      if (is_persistent_) MPI_Request_free(&request);
  }
  void run() {
    const auto n = ranks_.size();
    for (std::size_t r = 0; r < n; ++r)
      is_persistent_ ? MPI_Start(&requests_[r])
                     : MPI_Irecv(&received_[r * count_], bytes(), MPI_BYTE, ranks_[r], 0, comm_, &requests_[r]);
    for (std::size_t i = 0; i < places.size(); ++i) sent_[i] = out[places[i]];
    for (std::size_t r = 0; r < n; ++r)
      is_persistent_ ? MPI_Start(&requests_[n + r])
                     : MPI_Isend(&sent_[r * count_], bytes(), MPI_BYTE, ranks_[r], 0, comm_, &requests_[n + r]);
    for (auto& request : requests_)
      for (int done = 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE), done == 0;) yield();
    for (std::size_t i = 0; i < places.size(); ++i) in[places[i]] = received_[i];
  }

 private:
  int bytes() const { return static_cast<int>(count_ * sizeof(double)); }

  MPI_Comm comm_;
  std::vector<int> ranks_;
  std::size_t count_;
  bool is_persistent_;
  std::vector<double> sent_, received_;
  std::vector<MPI_Request> requests_;
};

// One way to communicate, with few and with many parts.
struct StepCosts {
  Spread step, part;  // in us, and in ns
  StepCosts(const Timed& with_few, const Timed& with_many, std::size_t ranks) : step(scaled(with_few.spread(), 1e6)) {
    std::vector<double> slopes;
    for (std::size_t i = 0; i < with_few.seconds.size(); ++i)
      slopes.push_back(with_many.seconds[i] - with_few.seconds[i]);
    part = scaled(spread_of(slopes), 1e9 / static_cast<double>(ranks * (many - few)));
  }
};

void steps_with(const std::vector<int>& ranks, const std::string& whom, const std::string& prefix,
                mpi::Communicator& world, const CoreOptions& options, Report& report) {
  std::deque<WeftParts> in_weft;
  std::deque<PlainParts> in_mpi;
  std::vector<Timed> all;
  for (const auto count : {few, many}) {
    auto& one = in_weft.emplace_back(world, ranks, count);
    one.exchange.commit();
    all.push_back({"weft", [&one] { one.run(); }});
  }
  for (const bool is_persistent : {true, false})
    for (const auto count : {few, many}) {
      auto& one = in_mpi.emplace_back(world.handle(), ranks, count, is_persistent);
      all.push_back({"MPI", [&one] { one.run(); }});
    }
  time_in_turns(world, all, {.seconds = options.quick ? 1.0 : 5.0, .fewest = options.repeats});
  const auto faster = [](const Spread& a, const Spread& b) { return a.median < b.median ? a : b; };
  const StepCosts in_exchange(all[0], all[1], ranks.size()), persistent(all[2], all[3], ranks.size()),
      nonblocking(all[4], all[5], ranks.size());
  const auto step = faster(persistent.step, nonblocking.step), part = faster(persistent.part, nonblocking.part);
  report.result("step, a part to and from " + whom, in_exchange.step, "us");
  report.result("the same in plain MPI", step, "us");
  report.result("a further part to and from " + whom, in_exchange.part, "ns");
  report.result("the same in plain MPI", part, "ns");
  report.figure(prefix + "step_us", in_exchange.step);
  report.figure(prefix + "step_over_mpi", in_exchange.step.median / step.median);
  report.figure(prefix + "part_ns", in_exchange.part);
  report.figure(prefix + "part_over_mpi", in_exchange.part.median / part.median);
}

// Of so many sends and as many receives a rank; in us per send and its receive.
Spread commit_with(std::size_t count, const std::vector<int>& ranks, mpi::Communicator& world, std::size_t repeats) {
  std::vector<double> seconds;
  for (std::size_t i = 0; i < repeats; ++i) {
    WeftParts all(world, ranks, count / ranks.size());
    seconds.push_back(slowest(world, [&] { all.exchange.commit(); }));
  }
  return scaled(spread_of(seconds), 1e6 / static_cast<double>(count / ranks.size() * ranks.size()));
}

}  // namespace

void parts(mpi::Communicator& world, const std::vector<int>& neighbours, const CoreOptions& options, Report& report) {
  const std::vector<int> itself{world.rank()};
  if (!neighbours.empty())
    steps_with(neighbours, "each of " + std::to_string(neighbours.size()) + " neighbours", "", world, options, report);
  steps_with(itself, "the rank itself", "self_", world, options, report);
  const std::size_t large = options.quick ? 10000 : 100000, small = large / 10;
  std::vector<Spread> commits;
  for (const auto count : {small, large}) {
    commits.push_back(commit_with(count, neighbours.empty() ? itself : neighbours, world, options.repeats));
    report.result("commit of " + std::to_string(count) + " parts a rank, per part", commits.back(), "us");
  }
  report.figure("commit_us_per_part", commits[1]);
  report.figure("commit_growth", commits[1].median / commits[0].median);
}

}  // namespace weft::bench
