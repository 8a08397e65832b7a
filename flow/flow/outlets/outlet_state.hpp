// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flow/outlets/circulation.hpp"
#include "flow/outlets/tuner.hpp"
#include "flow/step/lattice_client.hpp"
#include "flow/step/pressure_gauge.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

// Sums over an opening on all ranks, in integers, so that they do not depend on the distribution over ranks.

/// A monitor of a sum over an opening after the previous step: the mass that entered, in units of 2^-48 of the
/// lattice's mass, or the pressure gauge's in units of `tick`. After a restart rank 0 first contributes the sum from
/// the checkpoint.
struct OpeningSum {
  using Value = TickSum;
  Value local() {
    const bool samples = calls++ % interval == 0;
    const auto of_all_ranks = std::exchange(restored, {});
    if (samples && !of_all_ranks) return TickSum::of(ticks());
    if (rank != 0) return {};
    return samples ? *of_all_ranks : sum;
  }
  static Value combine(const Value& a, const Value& b) { return a + b; }
  void use(const Value& all, std::int64_t) { sum = all; }
  std::int64_t ticks() const {
    return gauge != nullptr ? gauge->ticks(lattice.lattice()) : lattice.lattice().inflow_ticks()[opening];
  }

  const LatticeClient& lattice;
  std::size_t opening;
  int rank;
  const PressureGauge* gauge = nullptr;  ///< null: the inflow
  std::int64_t interval = 1;             ///< in steps; in between the sum stays
  std::int64_t calls = 0;
  TickSum sum{};
  std::optional<TickSum> restored{};
};

/// The state for a checkpoint, between two steps. Collective.
nlohmann::json state_of(Transport& transport, const std::deque<OpeningSum>& openings);
/// Restores it. Throws nlohmann::json::exception if it has another form.
void restore(std::deque<OpeningSum>& openings, const nlohmann::json& state);

// The state of the outlets as JSON in a checkpoint: numbers are read back bitwise identical.

/// Reads a number; null stands for not-a-number, as in an unstable flow.
double number_of(const nlohmann::json& value);

nlohmann::json json_of(const Beats::State& state);
nlohmann::json json_of(const Tuner::State& state);
nlohmann::json json_of(const Circulation::State& state);

/// Throw nlohmann::json::exception if the value has another form.
Beats::State beats_of(const nlohmann::json& value);
Tuner::State tuner_of(const nlohmann::json& value);
Circulation::State circulation_of(const nlohmann::json& value);

/// The state of the outlets at the end of a run.
struct OutletReport {
  std::string text{};  ///< for printing: lines, or empty
  std::string json{};  ///< a JSON object: beats, tuned windkessels, compartments
  bool periodic = false;
  std::vector<std::string> warnings{};  ///< of pressures that differ from those that the conditions give
};

/// `time_s`: of the circulation's state. All pointers may be null.
OutletReport report_outlets(const Case& c, const Beats* beats, const Tuner* tuner, const Circulation* circulation,
                            double time_s);

/// Whether the last two beats agree within the case's tolerance, and tuned outlets met their targets.
bool is_periodic(const Case& c, const Beats& beats, const Tuner* tuner);

}  // namespace weft::flow
