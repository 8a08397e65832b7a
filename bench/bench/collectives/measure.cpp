// SPDX-License-Identifier: BSD-3-Clause
#include "bench/collectives/measure.hpp"

#include <sched.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <span>

#include "bench/shared/spend.hpp"
#include "bench/shared/statistics.hpp"
#include "weft/clock.hpp"
#include "weft/mpi/check.hpp"
#include "weft/simulated.hpp"
#include "weft/transport/collectives.hpp"
#include "weft/yield.hpp"

namespace weft::bench::collectives {

Synchroniser::Synchroniser(mpi::Communicator& world, const GlobalClock& clock, Sync sync, bool patient)
    : world_(world), clock_(clock), sync_(sync), patient_(patient) {
  for (int i = 0; i < 5; ++i) {
    const double from = clock_.now();
    all_reduce(world_, from, maximum<double>());
    notice_ = std::max(notice_, clock_.now() - from);
  }
  notice_ = 2 * all_reduce(world_, notice_, maximum<double>()) + 50e-6;
}

void Synchroniser::begin(double length) {
  length_ = length;
  if (sync_ == Sync::window) start_ = all_reduce(world_, clock_.now(), maximum<double>()) + notice_;
}

bool Synchroniser::next(double delay) {
  if (sync_ == Sync::barrier) {
    meet();
    if (delay > 0) wait_until(clock_.now() + delay);
    return true;
  }
  const bool in_time = clock_.now() < start_;
  wait_until(start_ + delay);
  start_ += length_;
  return in_time;
}

void Synchroniser::meet() {
  if constexpr (simulated::here) return barrier(world_);  // the simulator's MPI_Ibarrier does not synchronise
  MPI_Request request;
  mpi::check(MPI_Ibarrier(world_.handle(), &request), "MPI_Ibarrier", world_.rank());
  for (int done = 0, tests = 1; done == 0; ++tests) {
    mpi::check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Ibarrier", world_.rank());
    if (done == 0 && (patient_ || tests % 4096 == 0)) yield();
  }
}

void Synchroniser::wait_until(double time) const {
  if constexpr (simulated::here) return spend(time - clock_.now());
  while (clock_.now() < time)
    if (patient_) sched_yield();
}

namespace {

// Times of one run, combined over all ranks by maximum; minima are stored with the sign changed.
struct Run {
  double minus_first_entry, last_entry, minus_first_exit, last_exit, late;
};
static_assert(sizeof(Run) == 5 * sizeof(double));

class Measurer {
 public:
  Measurer(mpi::Communicator& world, const GlobalClock& clock, Synchroniser& synchroniser)
      : world_(world), clock_(clock), synchroniser_(synchroniser) {}

  // Runs without timing; the slowest of the last runs gives the first length of a window.
  void warm_up(Measurement& m, std::size_t runs) {
    if (m.prepare) m.prepare();
    double took = 0;
    for (std::size_t i = 0; i < runs; ++i) {
      const double from = now_seconds();
      m.run();
      if (i >= runs / 2) took = std::max(took, now_seconds() - from);
    }
    judge(m);
    m.length = 2 * all_reduce(world_, took, maximum<double>()) + 1.5 * m.longest_delay + 20e-6;
  }

  void batch(Measurement& m, std::size_t runs) {
    if (m.prepare) m.prepare();
    m.run();
    std::vector<Run> all(runs);
    std::vector<double> own(runs);
    synchroniser_.begin(m.length);
    for (std::size_t i = 0; i < runs; ++i) {
      const bool in_time = synchroniser_.next(m.delay ? m.delay(turn_ + i) : 0);
      const double entry = clock_.now();
      m.run();
      const double exit = clock_.now();
      all[i] = {-entry, entry, -exit, exit, in_time ? 0.0 : 1.0};
      own[i] = exit - entry;
    }
    turn_ += runs;
    judge(m);
    combine(std::span(reinterpret_cast<double*>(all.data()), 5 * runs), maximum<double>());
    combine(std::span(own), sum<double>());
    keep(m, all, own);
  }

 private:
  void combine(std::span<double> numbers, const Reduction<double>& reduction) {
    const std::vector<double> mine(numbers.begin(), numbers.end());
    detail::run_collective(world_, Collective::all_reduce(std::span<const double>(mine), numbers, reduction));
  }

  void judge(Measurement& m) {
    const int wrong = m.right && !m.right() ? 1 : 0;
    if (all_reduce(world_, wrong, maximum<int>()) != 0) ++m.wrong;
  }

  // Largest possible difference of two ranks' clocks now.
  double doubt() const {
    double largest = 0;
    for (const auto& model : clock_.models()) largest = std::max(largest, model.error_at(now_seconds()));
    return 2 * largest + 1e-6;
  }

  void keep(Measurement& m, const std::vector<Run>& all, const std::vector<double>& own) const {
    std::size_t late = 0;
    const double doubt = m.synchronises ? this->doubt() : 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const auto& run = all[i];
      if (m.synchronises && -run.minus_first_exit < run.last_entry - doubt) ++m.wrong;
      if (run.late > 0) {
        ++late;
        continue;
      }
      const bool global = m.time == Measurement::Time::global;
      m.seconds.push_back(global ? run.last_exit + run.minus_first_entry : own[i] / world_.size());
      m.skews.push_back(run.last_entry + run.minus_first_entry - m.longest_delay);
    }
    m.late += late;
    if (4 * late > all.size()) m.length *= 1.5;
  }

  mpi::Communicator& world_;
  const GlobalClock& clock_;
  Synchroniser& synchroniser_;
  std::size_t turn_ = 0;
};

}  // namespace

void measure(mpi::Communicator& world, GlobalClock& clock, Synchroniser& synchroniser, std::vector<Measurement>& all,
             const MeasureOptions& options) {
  const auto now = [&] { return all_reduce(world, now_seconds(), maximum<double>()); };
  const double from = now();
  constexpr double synchronised_every = 10;
  clock.synchronise();
  double synchronised = from;
  Measurer measurer(world, clock, synchroniser);
  for (auto& m : all) measurer.warm_up(m, options.warm_up);

  std::vector<std::size_t> open(all.size());
  std::iota(open.begin(), open.end(), std::size_t{0});
  std::mt19937_64 numbers(options.seed);  // the same on all ranks
  for (std::size_t round = 0; !open.empty(); ++round) {
    // Not std::shuffle, whose result depends on the C++ library.
    for (std::size_t i = open.size(); i > 1; --i) std::swap(open[i - 1], open[numbers() % i]);
    for (const auto i : open) measurer.batch(all[i], options.batch);
    const double time = now(), used = time - from;
    if (time - synchronised > synchronised_every) {
      clock.synchronise();
      synchronised = time;
    }
    std::erase_if(open, [&](std::size_t i) {
      auto& m = all[i];
      m.converged = m.seconds.size() >= options.fewest &&
                    within(median_interval(m.seconds), spread_of(m.seconds).median, options.accuracy);
      // If ranks are late again and again, `fewest` is never reached.
      const bool hopeless = used > 2 * options.seconds && round * options.batch > 4 * options.fewest;
      const bool enough = used > options.seconds && m.seconds.size() >= options.fewest;
      return m.converged || enough || hopeless || m.seconds.size() >= options.most;
    });
  }
}

}  // namespace weft::bench::collectives
