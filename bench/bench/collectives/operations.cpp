// SPDX-License-Identifier: BSD-3-Clause
//
// MPI's collectives with data that show errors: numbers that encode sender and receiver.
#include <mpi.h>
#if defined(WEFT_HAVE_MPIX_PERSISTENT_COLLECTIVES)
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <string_view>
#include <vector>

#include "bench/collectives/operation.hpp"
#include "weft/mpi/check.hpp"

#if defined(WEFT_MPI4_AT_RUN_TIME)  // have_persistent() reports whether the library has them
#pragma weak MPI_Allgather_init
#pragma weak MPI_Allgatherv_init
#pragma weak MPI_Allreduce_init
#pragma weak MPI_Alltoall_init
#pragma weak MPI_Alltoallv_init
#pragma weak MPI_Barrier_init
#pragma weak MPI_Bcast_init
#pragma weak MPI_Gather_init
#pragma weak MPI_Gatherv_init
#pragma weak MPI_Neighbor_alltoall_init
#pragma weak MPI_Reduce_init
#pragma weak MPI_Reduce_scatter_init
#pragma weak MPI_Scan_init
#pragma weak MPI_Scatter_init
#pragma weak MPI_Scatterv_init
#endif

#if defined(WEFT_HAVE_MPI_PERSISTENT_COLLECTIVES)
#define WEFT_BENCH_INIT(name, ...) MPI_##name##_init(__VA_ARGS__, MPI_INFO_NULL, request)
#elif defined(WEFT_HAVE_MPIX_PERSISTENT_COLLECTIVES)
#define WEFT_BENCH_INIT(name, ...) MPIX_##name##_init(__VA_ARGS__, MPI_INFO_NULL, request)
#else
#define WEFT_BENCH_INIT(name, ...) MPI_ERR_OTHER
#endif

/// The three kinds of an operation, which share the given arguments. These use `d`, the operation's Data.
#define WEFT_BENCH_CALLS(blocking, nonblocking, ...)                                                  \
  {                                                                                                   \
    [](Data& d) -> int { return MPI_##blocking(__VA_ARGS__); },                                       \
        [](Data& d, MPI_Request* request) -> int { return MPI_##nonblocking(__VA_ARGS__, request); }, \
        []([[maybe_unused]] Data& d, [[maybe_unused]] MPI_Request* request) -> int {                  \
          return WEFT_BENCH_INIT(blocking, __VA_ARGS__);                                              \
        }                                                                                             \
  }

namespace weft::bench::collectives {

bool have_persistent() {
#if defined(WEFT_MPI4_AT_RUN_TIME) && defined(WEFT_HAVE_MPI_PERSISTENT_COLLECTIVES)
  return MPI_Allreduce_init != nullptr;
#elif defined(WEFT_HAVE_MPI_PERSISTENT_COLLECTIVES) || defined(WEFT_HAVE_MPIX_PERSISTENT_COLLECTIVES)
  return true;
#else
  return false;
#endif
}

namespace {

// Numbers that `from` sends to `to`, or their sums over `ranks` ranks from `from` on, without the first `skip`.
struct Piece {
  int from, to, at, count, ranks = 1, skip = 0;

  double value(int i) const {
    double sum = 0;  // of integers, so it is exact in any order
    for (int r = from; r < from + ranks; ++r)
      sum += static_cast<double>((static_cast<std::size_t>(r) * 613 + static_cast<std::size_t>(to) * 89 +
                                  static_cast<std::size_t>(skip + i) * 7) %
                                 4093);
    return sum;
  }
};

// The send buffer or the receive buffer of an operation on this rank.
struct Buffer {
  std::vector<Piece> pieces{};
  std::vector<double> numbers{};

  void add(const Piece& piece) {
    pieces.push_back(piece);
    numbers.resize(std::max(numbers.size(), static_cast<std::size_t>(piece.at + piece.count)));
  }
  void fill() {
    for (const auto& p : pieces)
      for (int i = 0; i < p.count; ++i) numbers[static_cast<std::size_t>(p.at + i)] = p.value(i);
  }
  void clear() { std::fill(numbers.begin(), numbers.end(), -1); }
  bool right() const {
    return std::all_of(pieces.begin(), pieces.end(), [&](const Piece& p) {
      for (int i = 0; i < p.count; ++i)
        if (numbers[static_cast<std::size_t>(p.at + i)] != p.value(i)) return false;
      return true;
    });
  }
};

struct Data {
  int rank, size, count, all = 0;        // all: the sum of counts
  std::vector<int> counts{}, offsets{};  // for each rank; all counts are equal, if the operation's name has no v
  MPI_Comm comm;
  Buffer sent{}, received{};

  bool root() const { return rank == 0; }
  int own() const { return counts[static_cast<std::size_t>(rank)]; }
  int skipped() const { return offsets[static_cast<std::size_t>(rank)]; }
  double* in() { return sent.numbers.data(); }
  double* out() { return received.numbers.data(); }
  // Calls add(rank, offset, count) for all ranks.
  template <class Add>
  void each(const Add& add) const {
    for (int r = 0; r < size; ++r) add(r, offsets[static_cast<std::size_t>(r)], counts[static_cast<std::size_t>(r)]);
  }
  void send_own() { sent.add({rank, 0, 0, own()}); }
  void send_to_each(int from) {
    each([&](int r, int at, int many) { sent.add({from, r, at, many}); });
  }
  void receive_from_each(int to) {
    each([&](int r, int at, int many) { received.add({r, to, at, many}); });
  }
  Collective rounds(Collective::Kind kind) {
    return {.kind = kind,
            .in = std::as_bytes(std::span(sent.numbers)),
            .out = std::as_writable_bytes(std::span(received.numbers))};
  }
};

// A row of the table of operations.
struct Row {
  const char* name;
  int (*count)(int count, int rank, int other);  // of the numbers for, or from, another rank
  void (*set_up)(Data& d);                       // adds the pieces that this rank sends and receives
  struct {
    int (*call)(Data& d);
    int (*start)(Data& d, MPI_Request* request);
    int (*init)(Data& d, MPI_Request* request);
  } calls;
  Collective (*rounds)(Data& d) = nullptr;
};

int even(int count, int, int) { return count; }
// Half as many more, or half as many less; one stays one.
int uneven(int count, int, int other) { return other % 2 == 0 ? count + count / 2 : count - count / 2; }
// A rank receives from each rank as many numbers as it sends to it.
int uneven_pairs(int count, int rank, int other) { return uneven(count, rank, rank + other); }

void reduces(Data& d) {
  d.send_own();
  d.received.add({0, 0, 0, d.count, d.size});
}

void gathers(Data& d) {
  d.send_own();
  if (d.root()) d.receive_from_each(0);
}
void scatters(Data& d) {
  if (d.root()) d.send_to_each(0);
  d.received.add({0, d.rank, 0, d.own()});
}
void all_gathers(Data& d) {
  d.send_own();
  d.receive_from_each(0);
}
void all_to_all(Data& d) {
  d.send_to_each(d.rank);
  d.receive_from_each(d.rank);
}

// On a ring, without duplicates: with two ranks each has one neighbour, a single rank has itself.
void neighbours(Data& d) {
  const int left = (d.rank + d.size - 1) % d.size, right = (d.rank + 1) % d.size;
  const std::vector<int> peers = left == right ? std::vector{left} : std::vector{left, right};
  const int many = static_cast<int>(peers.size());
  for (int n = 0; n < many; ++n) {
    d.sent.add({d.rank, peers[static_cast<std::size_t>(n)], n * d.count, d.count});
    d.received.add({peers[static_cast<std::size_t>(n)], d.rank, n * d.count, d.count});
  }
  mpi::check(MPI_Dist_graph_create_adjacent(d.comm, many, peers.data(), MPI_UNWEIGHTED, many, peers.data(),
                                            MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &d.comm),
             "MPI_Dist_graph_create_adjacent", d.rank);
}

const Row rows[] = {
    {"barrier", even, [](Data&) {}, WEFT_BENCH_CALLS(Barrier, Ibarrier, d.comm), [](Data&) { return Collective{}; }},
    {"bcast", even, [](Data& d) { (d.root() ? d.sent : d.received).add({0, 0, 0, d.count}); },
     WEFT_BENCH_CALLS(Bcast, Ibcast, d.root() ? d.in() : d.out(), d.count, MPI_DOUBLE, 0, d.comm)},
    {"reduce", even,
     [](Data& d) {
       d.send_own();
       if (d.root()) d.received.add({0, 0, 0, d.count, d.size});
     },
     WEFT_BENCH_CALLS(Reduce, Ireduce, d.in(), d.out(), d.count, MPI_DOUBLE, MPI_SUM, 0, d.comm)},
    {"allreduce", even, reduces,
     WEFT_BENCH_CALLS(Allreduce, Iallreduce, d.in(), d.out(), d.count, MPI_DOUBLE, MPI_SUM, d.comm),
     [](Data& d) {
       return Collective::all_reduce(std::span<const double>(d.sent.numbers), std::span(d.received.numbers),
                                     sum<double>());
     }},
    {"gather", even, gathers,
     WEFT_BENCH_CALLS(Gather, Igather, d.in(), d.count, MPI_DOUBLE, d.out(), d.count, MPI_DOUBLE, 0, d.comm)},
    {"gatherv", uneven, gathers,
     WEFT_BENCH_CALLS(Gatherv, Igatherv, d.in(), d.own(), MPI_DOUBLE, d.out(), d.counts.data(), d.offsets.data(),
                      MPI_DOUBLE, 0, d.comm)},
    {"scatter", even, scatters,
     WEFT_BENCH_CALLS(Scatter, Iscatter, d.in(), d.count, MPI_DOUBLE, d.out(), d.count, MPI_DOUBLE, 0, d.comm)},
    {"scatterv", uneven, scatters,
     WEFT_BENCH_CALLS(Scatterv, Iscatterv, d.in(), d.counts.data(), d.offsets.data(), MPI_DOUBLE, d.out(), d.own(),
                      MPI_DOUBLE, 0, d.comm)},
    {"allgather", even, all_gathers,
     WEFT_BENCH_CALLS(Allgather, Iallgather, d.in(), d.count, MPI_DOUBLE, d.out(), d.count, MPI_DOUBLE, d.comm),
     [](Data& d) { return d.rounds(Collective::Kind::all_gather); }},
    {"allgatherv", uneven, all_gathers,
     WEFT_BENCH_CALLS(Allgatherv, Iallgatherv, d.in(), d.own(), MPI_DOUBLE, d.out(), d.counts.data(),
                      d.offsets.data(), MPI_DOUBLE, d.comm)},
    {"alltoall", even, all_to_all,
     WEFT_BENCH_CALLS(Alltoall, Ialltoall, d.in(), d.count, MPI_DOUBLE, d.out(), d.count, MPI_DOUBLE, d.comm),
     [](Data& d) { return d.rounds(Collective::Kind::all_to_all); }},
    {"alltoallv", uneven_pairs, all_to_all,
     WEFT_BENCH_CALLS(Alltoallv, Ialltoallv, d.in(), d.counts.data(), d.offsets.data(), MPI_DOUBLE, d.out(),
                      d.counts.data(), d.offsets.data(), MPI_DOUBLE, d.comm)},
    {"reduce_scatter", uneven,
     [](Data& d) {
       d.sent.add({d.rank, 0, 0, d.all});
       d.received.add({0, 0, 0, d.own(), d.size, d.skipped()});
     },
     WEFT_BENCH_CALLS(Reduce_scatter, Ireduce_scatter, d.in(), d.out(), d.counts.data(), MPI_DOUBLE, MPI_SUM, d.comm)},
    {"scan", even,
     [](Data& d) {
       d.send_own();
       d.received.add({0, 0, 0, d.count, d.rank + 1});
     },
     WEFT_BENCH_CALLS(Scan, Iscan, d.in(), d.out(), d.count, MPI_DOUBLE, MPI_SUM, d.comm)},
    {"neighbor_alltoall", even, neighbours,
     WEFT_BENCH_CALLS(Neighbor_alltoall, Ineighbor_alltoall, d.in(), d.count, MPI_DOUBLE, d.out(), d.count, MPI_DOUBLE,
                      d.comm)},
};

class Listed final : public Operation {
 public:
  Listed(const Row& row, const Group& group, int count)
      : row_(row), group_(group), data_{.rank = group.rank, .size = group.size, .count = count, .comm = group.comm} {
    for (int r = 0; r < group.size; ++r) {
      data_.counts.push_back(row.count(count, group.rank, r));
      data_.offsets.push_back(data_.all);
      data_.all += data_.counts.back();
    }
    row.set_up(data_);
  }
  ~Listed() override {
    if (data_.comm != group_.comm) MPI_Comm_free(&data_.comm);
  }
  void fill() override {
    data_.sent.fill();
    data_.received.clear();
  }
  bool right() const override { return data_.received.right(); }  // of barriers the suite checks the times
  int call() override { return row_.calls.call(data_); }
  int start(MPI_Request* request) override { return row_.calls.start(data_, request); }
  int init(MPI_Request* request) override { return row_.calls.init(data_, request); }
  std::optional<Collective> collective() override {
    return row_.rounds == nullptr ? std::nullopt : std::optional(row_.rounds(data_));
  }

 private:
  const Row& row_;
  Group group_;
  Data data_;
};

bool mpich_before_5() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string_view version(text.data());
  constexpr std::string_view before = "MPICH Version:";
  if (!version.starts_with(before)) return false;
  return std::atoi(version.substr(before.size()).data()) < 5;  // atoi skips blanks and stops at the point
}

}  // namespace

bool can(const Entry& entry, Kind kind) {
  if (kind == Kind::rounds) return entry.has_rounds;
  if (kind != Kind::persistent) return true;
  if (!have_persistent()) return false;
  static const bool some_are_wrong = mpich_before_5();
  return !some_are_wrong || (entry.name != "gather" && entry.name != "scatter" && entry.name != "allgather");
}

const std::vector<Entry>& operations() {
  static const std::vector<Entry> all = [] {
    std::vector<Entry> entries;
    for (const auto& row : rows) {
      const bool is_barrier = std::string_view(row.name) == "barrier";
      const auto make = [&row](const Group& group, std::size_t count) {
        return std::make_unique<Listed>(row, group, static_cast<int>(count));
      };
      entries.push_back({row.name, !is_barrier, is_barrier, make, row.rounds != nullptr});
    }
    return entries;
  }();
  return all;
}

}  // namespace weft::bench::collectives
