// SPDX-License-Identifier: BSD-3-Clause
//
// The data of the operations: numbers that encode sender and receiver, and the MPI calls on them.
#pragma once

#include <mpi.h>
#if defined(WEFT_HAVE_MPIX_PERSISTENT_COLLECTIVES)
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "bench/collectives/entries.hpp"
#include "bench/collectives/operation.hpp"

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
#define WEFT_BENCH_INIT(name) with(MPI_##name##_init, MPI_INFO_NULL, request)
#elif defined(WEFT_HAVE_MPIX_PERSISTENT_COLLECTIVES)
#define WEFT_BENCH_INIT(name) with(MPIX_##name##_init, MPI_INFO_NULL, request)
#else
#define WEFT_BENCH_INIT(name) (static_cast<void>(request), MPI_ERR_OTHER)
#endif

/// Defines the three kinds of an operation from its function template with(function, more...), which passes the common
/// arguments; the kinds differ in the further ones.
#define WEFT_BENCH_CALLS(blocking, nonblocking)                                         \
  int call() override { return with(MPI_##blocking); }                                  \
  int start(MPI_Request* request) override { return with(MPI_##nonblocking, request); } \
  int init([[maybe_unused]] MPI_Request* request) override { return WEFT_BENCH_INIT(blocking); }

namespace weft::bench::collectives {

/// The i-th number that `from` sends to `to`: an integer, so that sums are exact in any order.
inline double known(int from, int to, std::size_t i) {
  return static_cast<double>((static_cast<std::size_t>(from) * 613 + static_cast<std::size_t>(to) * 89 + i * 7) % 4093);
}

/// Count of one rank in uneven operations: half as many more, or half as many less; one stays one.
inline int uneven(int count, int which) { return which % 2 == 0 ? count + count / 2 : count - count / 2; }

/// Count and offset of each rank's numbers in a buffer.
struct Parts {
  template <class CountOf>
  Parts(int ranks, const CountOf& count_of) {
    for (int r = 0; r < ranks; ++r) {
      counts.push_back(count_of(r));
      offsets.push_back(total);
      total += counts.back();
    }
  }
  std::vector<int> counts{}, offsets{};
  int total = 0;
};

class WithBuffers : public Operation {
 public:
  WithBuffers(const Group& group, std::size_t count) : group_(group), count_(static_cast<int>(count)) {}

 protected:
  using Numbers = std::vector<double>;
  static constexpr double nothing = -1;

  bool root() const { return group_.rank == 0; }
  /// Writes so many numbers that `from` sends to `to`, at offset `at`.
  static void put(Numbers& numbers, int at, int many, int from, int to) {
    for (int i = 0; i < many; ++i)
      numbers[static_cast<std::size_t>(at + i)] = known(from, to, static_cast<std::size_t>(i));
  }
  static bool has(const Numbers& numbers, int at, int many, int from, int to) {
    for (int i = 0; i < many; ++i)
      if (numbers[static_cast<std::size_t>(at + i)] != known(from, to, static_cast<std::size_t>(i))) return false;
    return true;
  }
  /// Whether the buffer holds sums over the ranks below `ranks` of the numbers that they send to `to`, after the first
  /// `skip`.
  static bool has_sums(const Numbers& numbers, int many, int skip, int ranks, int to) {
    for (int i = 0; i < many; ++i) {
      double sum = 0;
      for (int r = 0; r < ranks; ++r) sum += known(r, to, static_cast<std::size_t>(skip + i));
      if (numbers[static_cast<std::size_t>(i)] != sum) return false;
    }
    return true;
  }
  static Numbers room(int many) { return Numbers(static_cast<std::size_t>(many), nothing); }
  static void forget(Numbers& numbers) { std::fill(numbers.begin(), numbers.end(), nothing); }

  Group group_;
  int count_;
  Numbers in_{}, out_{};
};

template <class Made>
Entry entry(const char* name, bool sized = true, bool synchronises = false, bool has_rounds = false) {
  return {name, sized, synchronises,
          [](const Group& group, std::size_t count) { return std::make_unique<Made>(group, count); }, has_rounds};
}

}  // namespace weft::bench::collectives
