// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cstddef>
#include <functional>
#include <vector>

#include "weft/transport/transport.hpp"

namespace weft::bench {

/// One rank's clock against rank 0's: global = local + skew + drift x (local - at).
struct ClockModel {
  double skew = 0;         ///< seconds
  double drift = 0;        ///< seconds per second; 0 until ping-pongs are far enough apart
  double at = 0;           ///< local time of the synchronisation
  double error = 0;        ///< seconds: bound of the skew's error at that time
  double drift_error = 0;  ///< seconds per second, likewise; before drift is known: the largest drift of clocks
  double round_trip = 0;   ///< seconds: of the kept ping-pongs with the rank's partner

  double to_global(double local) const { return local + (skew + drift * (local - at)); }
  /// Bound of the global time's error at a local time, if clocks are linear.
  double error_at(double local) const { return error + drift_error * std::abs(local - at); }
};

struct ClockOptions {
  std::size_t pings = 200;  ///< round trips with the partner per measurement
  double span_seconds = 0;  ///< span of the measurements for the drift; 0: one measurement, no drift
  double keep = 0.1;        ///< share of the shortest round trips that is kept; 1: the mean of all
  std::function<double()>
      local{};  ///< this rank's clock, seconds; default: weft::now_seconds (for tests: a skewed one)
};

/// A common clock for all ranks, rank 0's, by CRESTA's modified ping-pong (section 2.1), of which the shortest round
/// trips are kept (Hoefler et al.), with a linear fit over several measurements (Hunold and Carpen-Amarie).
///
/// A rank's partner is the rank without its highest bit, so that all ranks are synchronised in log2(ranks) phases; the
/// models on the path to rank 0 are combined, and their errors added. It sends messages with one tag on the transport
/// while it synchronises.
class GlobalClock {
 public:
  /// Synchronises. Collective.
  explicit GlobalClock(Transport& transport, const ClockOptions& options = {});

  /// Synchronises again, with the drift since the first time. Collective. The time may jump by up to the errors of both
  /// models.
  void synchronise();
  /// Seconds of rank 0's clock.
  double now() const { return to_global(options_.local()); }
  double to_global(double local) const { return model_.to_global(local); }
  const ClockModel& model() const { return model_; }
  /// The models of all ranks, by rank, on all ranks.
  const std::vector<ClockModel>& models() const { return models_; }

 private:
  /// The result of one measurement: the partner's clock less this one.
  struct Reading {
    double at, skew, error;
  };
  void measure();
  void fit();

  Transport& transport_;
  ClockOptions options_;
  std::vector<Reading> readings_;  // empty on rank 0
  ClockModel model_;
  std::vector<ClockModel> models_;
};

}  // namespace weft::bench
