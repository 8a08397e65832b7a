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
  double drift = 0;        ///< seconds a second; 0 until ping-pongs lie far enough apart to tell
  double at = 0;           ///< local time of the synchronisation
  double error = 0;        ///< seconds: the skew is no further off at that time
  double drift_error = 0;  ///< seconds a second, likewise; before drift is told: by how much clocks may differ at all
  double round_trip = 0;   ///< seconds: of those ping-pongs with the rank's partner that were kept

  double to_global(double local) const { return local + (skew + drift * (local - at)); }
  /// What the global time at a local time is off by at most, if clocks are linear.
  double error_at(double local) const { return error + drift_error * std::abs(local - at); }
};

struct ClockOptions {
  std::size_t pings = 200;  ///< round trips with the partner, each time
  double span_seconds = 0;  ///< drift is fitted over ping-pongs at several times in so long; 0: at one time, no drift
  double keep = 0.1;        ///< which share of the round trips counts: those that took the least; 1 is their mean
  std::function<double()>
      local{};  ///< this rank's clock, seconds; default: weft::now_seconds (for tests: a skewed one)
};

/// One time for all ranks: rank 0's, by the modified ping-pong that CRESTA uses (section 2.1), of which the round trips
/// that took the least are kept (Hoefler et al.), and a line through those of several times (Hunold and Carpen-Amarie).
///
/// A rank's partner is the one without its highest bit, so that all are done in log2(ranks) phases; the models of the
/// way to rank 0 are joined, and their errors added up. Messages of one tag travel on the transport while it
/// synchronises.
class GlobalClock {
 public:
  /// Synchronises. Collective.
  explicit GlobalClock(Transport& transport, const ClockOptions& options = {});

  /// Again, with the drift since the first time. Collective. Time may step by as much as the errors of both models.
  void synchronise();
  /// Seconds of rank 0's clock.
  double now() const { return to_global(options_.local()); }
  double to_global(double local) const { return model_.to_global(local); }
  const ClockModel& model() const { return model_; }
  /// Every rank's model, by rank, known on all ranks.
  const std::vector<ClockModel>& models() const { return models_; }

 private:
  /// What the ping-pongs of one time tell: the partner's clock less this one's.
  struct Reading {
    double at, skew, error;
  };
  void measure();
  void fit();

  Transport& transport_;
  ClockOptions options_;
  std::vector<Reading> readings_;  // none on rank 0
  ClockModel model_;
  std::vector<ClockModel> models_;
};

}  // namespace weft::bench
