// SPDX-License-Identifier: BSD-3-Clause
#include "bench/foreign/foreign.hpp"

#include <mpi.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace weft::bench {
namespace {

struct PairedRank {
  int rank = 0, ranks = 1;
  int peer = MPI_PROC_NULL;  // the other rank of a pair; the last of an odd number of ranks has none
};

// A fixed amount of work, so that time used by a progress thread on the core lengthens it. Not inlined, so that it
// takes equally long everywhere.
[[gnu::noinline]] double compute(std::int64_t units, double value) {
  for (std::int64_t i = 0; i < units * 1000; ++i) value = value * 0.999999 + 1e-6;
  return value;
}

double exchange(const PairedRank& place, std::int64_t steps, std::int64_t units) {
  constexpr int bytes = 1 << 20;
  std::vector<char> out(bytes, static_cast<char>('a' + place.rank % 26)), in(bytes, '.');
  double value = 0;
  for (std::int64_t i = 0; i < steps; ++i) {
    std::array<MPI_Request, 2> requests{};
    MPI_Irecv(in.data(), bytes, MPI_BYTE, place.peer, 1, MPI_COMM_WORLD, requests.data());
    MPI_Isend(out.data(), bytes, MPI_BYTE, place.peer, 1, MPI_COMM_WORLD, &requests[1]);
    value = compute(units, value);
    MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
  }
  return value + in.front() + in.back();
}

class Jacobi {
 public:
  explicit Jacobi(const PairedRank& place)
      : rows_(n / place.ranks), up_(place.rank > 0 ? place.rank - 1 : MPI_PROC_NULL),
        down_(place.rank + 1 < place.ranks ? place.rank + 1 : MPI_PROC_NULL) {
    for (int f = 0; f < fields; ++f) {
      auto& field = now_[static_cast<std::size_t>(f)];
      field.resize(static_cast<std::size_t>(rows_ + 2) * n);
      for (std::size_t i = 0; i < field.size(); ++i)
        field[i] = static_cast<double>((i * 7919 + static_cast<std::size_t>(f + place.rank)) % 101) / 101;
    }
    next_ = now_;
  }

  double step() {
    std::array<MPI_Request, 4 * fields> requests{};
    std::size_t posted = 0;
    for (int f = 0; f < fields; ++f) {
      auto& field = now_[static_cast<std::size_t>(f)];
      const auto receive = [&](int row, int from) {
        MPI_Irecv(&field[at(row)], n, MPI_DOUBLE, from, f, MPI_COMM_WORLD, &requests[posted++]);
      };
      const auto send = [&](int row, int to) {
        MPI_Isend(&field[at(row)], n, MPI_DOUBLE, to, f, MPI_COMM_WORLD, &requests[posted++]);
      };
      receive(rows_ + 1, down_), receive(0, up_), send(1, up_), send(rows_, down_);
    }
    double change = update(2, rows_ - 1);
    MPI_Waitall(static_cast<int>(posted), requests.data(), MPI_STATUSES_IGNORE);
    change += update(1, 1) + (rows_ > 1 ? update(rows_, rows_) : 0);
    std::swap(now_, next_);
    double all = 0;
    MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
  }

 private:
  static constexpr int n = 512, fields = 4;
  static std::size_t at(int row) { return static_cast<std::size_t>(row) * n; }

  double update(int first, int last) {
    double change = 0;
    for (std::size_t f = 0; f < fields; ++f)
      for (int row = first; row <= last; ++row)
        for (std::size_t i = at(row) + 1; i + 1 < at(row + 1); ++i) {
          const double value = 0.25 * (now_[f][i - n] + now_[f][i + n] + now_[f][i - 1] + now_[f][i + 1]);
          change += (value - now_[f][i]) * (value - now_[f][i]);
          next_[f][i] = value;
        }
    return change;
  }

  int rows_, up_, down_;
  std::array<std::vector<double>, fields> now_, next_;
};

double jacobi(const PairedRank& place, std::int64_t steps) {
  Jacobi solver(place);
  double change = 0;
  for (std::int64_t i = 0; i < steps; ++i) change = solver.step();
  return change;
}

double pingpong(const PairedRank& place, std::int64_t steps) {
  std::int64_t ball = 0;
  const bool serves = place.rank % 2 == 0;
  for (std::int64_t i = 0; i < steps; ++i) {
    if (serves) MPI_Send(&ball, 8, MPI_BYTE, place.peer, 1, MPI_COMM_WORLD);
    MPI_Recv(&ball, 8, MPI_BYTE, place.peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    ball += place.peer == MPI_PROC_NULL ? 0 : 1;
    if (!serves) MPI_Send(&ball, 8, MPI_BYTE, place.peer, 1, MPI_COMM_WORLD);
  }
  return static_cast<double>(ball);
}

int node_count() {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  int rank = 0, count = 0;
  MPI_Comm_rank(node, &rank);
  const int first = rank == 0 ? 1 : 0;
  MPI_Allreduce(&first, &count, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Comm_free(&node);
  return count;
}

}  // namespace

const std::vector<std::string>& subjects() {
  static const std::vector<std::string> all{"exchange", "jacobi", "pingpong"};
  return all;
}

int run_subject(const std::vector<std::string>& words) {
  MPI_Init(nullptr, nullptr);
  PairedRank place;
  MPI_Comm_rank(MPI_COMM_WORLD, &place.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &place.ranks);
  if ((place.rank ^ 1) < place.ranks) place.peer = place.rank ^ 1;
  const auto number = [&](std::size_t k) { return words.size() > k ? std::atoll(words[k].c_str()) : 0; };
  const int nodes = node_count();
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> library{};
  int length = 0;
  MPI_Get_library_version(library.data(), &length);

  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  double sum = 0;
  const auto& name = words.at(0);
  if (name == "compute") sum = compute(number(1), 0);
  if (name == "exchange") sum = exchange(place, number(1), number(2));
  if (name == "jacobi") sum = jacobi(place, number(1));
  if (name == "pingpong") sum = pingpong(place, number(1));
  MPI_Barrier(MPI_COMM_WORLD);
  const double seconds = MPI_Wtime() - start;

  if (place.rank == 0) {
    std::string text(library.data());
    text = text.substr(0, text.find_first_of(",\n"));
    std::printf("mpi %s\nranks %d\nnodes %d\nsum %.17g\nseconds %.9f\n", text.c_str(), place.ranks, nodes, sum,
                seconds);
  }
  MPI_Finalize();
  return 0;
}

}  // namespace weft::bench
