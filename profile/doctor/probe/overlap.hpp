// SPDX-License-Identifier: BSD-3-Clause
// The overlap fraction of an operation with an equally long computation without MPI calls.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "doctor/probe/mpi.hpp"

namespace weft::doctor::probe {

struct Overlap {
  std::size_t bytes;
  double transfer_seconds;  ///< of the operation alone, until it is complete on both ranks
  double progressed;        ///< share of it that completed during the computation, at whatever cost
  double hidden;            ///< overlap fraction, as weft/timeline/overlap_fraction.hpp defines it
  int repeats;
};

inline double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

/// A fixed amount of work, not a fixed time: it takes longer if another thread uses the core.
inline double work(long turns) {
  volatile double x = 1;
  for (long i = 0; i < turns; ++i) x = x * 0.999 + 0.001;
  return x;
}

inline double seconds_a_turn() {
  constexpr long turns = 20000;
  double least = 1;
  for (int i = 0; i < 20; ++i) {
    const double began = now();
    work(turns);
    least = std::min(least, now() - began);
  }
  return least / turns;
}

/// `start` posts the operation of this rank.
inline Overlap overlap(const Pair& pair, std::size_t bytes, double seconds, const std::function<MPI_Request()>& start) {
  const double turn = seconds_a_turn(), end = now() + seconds;
  std::vector<double> alone, together, waited;
  // Time outside the computation: a receiver whose message has arrived may copy it in the posting call.
  double outside = 0;
  const auto once = [&](long turns) {
    pair.agree(0);
    const double began = now();
    MPI_Request request = start();
    const double started = now();
    work(turns);
    const double computed = now();
    mpi.finish(request);
    const double end = now();
    outside = pair.slower(started - began + end - computed);
    return pair.slower(end - began);
  };
  for (int i = 0; i < 3; ++i) once(0);  // maps memory and establishes connections
  for (int i = 0; i < 5; ++i) alone.push_back(once(0));
  const double length = pair.agree(median(alone));
  const auto turns = static_cast<long>(length / turn);
  do {
    alone.push_back(once(0));
    together.push_back(once(turns));
    waited.push_back(outside);
  } while (pair.agree(together.size() < 5 || (now() < end && together.size() < 200)));
  const double transfer = median(alone), computed = pair.slower(static_cast<double>(turns) * turn);
  return {bytes, transfer, 1 - median(waited) / transfer,
          std::clamp((transfer + computed - median(together)) / std::min(transfer, computed), 0.0, 1.0),
          static_cast<int>(together.size())};
}

inline Overlap overlap_of_isend(const Pair& pair, double seconds) {
  constexpr std::size_t bytes = std::size_t{1} << 20;
  std::vector<char> data(bytes);
  return overlap(pair, bytes, seconds, [&] {
    return pair.rank == 0 ? pair.send(data.data(), bytes, 3) : pair.receive(data.data(), bytes, 3);
  });
}

inline Overlap overlap_of_iallreduce(const Pair& pair, double seconds) {
  constexpr std::size_t bytes = std::size_t{1} << 20;
  std::vector<double> in(bytes / sizeof(double), 1.0), out(in.size());
  return overlap(pair, bytes, seconds, [&] {
    MPI_Request request;
    mpi.Iallreduce(in.data(), out.data(), static_cast<int>(in.size()), mpi.real, mpi.sum, mpi.world, &request);
    return request;
  });
}

}  // namespace weft::doctor::probe
