// SPDX-License-Identifier: BSD-3-Clause
#include "bench/robustness/vessel_trial.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "flow/case/case.hpp"
#include "flow/check/check.hpp"
#include "flow/reading/case_reader.hpp"
#include "flow/run/simulation.hpp"
#include "flow/scaling/scaling.hpp"
#include "flow/vessel/vessel.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {

namespace {

constexpr int most_changes = 4;  // suggestions followed one after the other

// The first problem that refuses the case.
std::optional<std::string> refusal_of(const flow::Case& c, const flow::Scaling& scaling) {
  for (const auto& finding : flow::find_problems(c, scaling))
    if (finding.refused) return finding.text;
  return std::nullopt;
}

// Reads the case and follows what its check suggests; `why` it can't be run is left in the trial.
flow::Case checked_case(const std::filesystem::path& file, const std::filesystem::path& out, VesselTrial& trial) {
  for (;;) {
    auto c = flow::read_case(file, trial.changes);
    c.output.directory = out;
    const auto refusal = refusal_of(c, flow::make_scaling(c));
    if (!refusal) return c;
    const auto change = suggested_change(*refusal);
    const bool again = change && std::ranges::find(trial.changes, *change) != trial.changes.end();
    if (!change || again || static_cast<int>(trial.changes.size()) == most_changes) throw InputError(*refusal);
    trial.changes.push_back(*change);
  }
}

// What any rank threw, thrown by every rank in the same words.
template <typename Action>
std::optional<std::string> failure_of(Action&& action) {
  try {
    action();
    return std::nullopt;
  } catch (const Error& error) {
    if (!error.everywhere()) throw;
    return error.what();
  }
}

}  // namespace

std::optional<std::string> suggested_change(const std::string& finding) {
  const std::string set = "set ", to = " to ";
  const auto at = finding.rfind(set);
  if (at == std::string::npos) return std::nullopt;
  const auto middle = finding.find(to, at);
  if (middle == std::string::npos) return std::nullopt;
  const auto key = finding.substr(at + set.size(), middle - at - set.size());
  auto value = finding.substr(middle + to.size());
  if (value.empty() || key.find(' ') != std::string::npos) return std::nullopt;
  if (value.front() == '"') {
    value = value.substr(0, value.find('"', 1) + 1);
  } else {
    value = value.substr(0, value.find(' '));
    while (!value.empty() && (value.back() == '.' || value.back() == ',')) value.pop_back();
  }
  return key + "=" + value;
}

VesselTrial try_vessel(mpi::Communicator& world, const std::filesystem::path& case_file,
                       const std::filesystem::path& out, double most_updates) {
  VesselTrial trial;
  const auto refuse = [&](const std::string& why) {
    trial.end = VesselTrial::End::refused;
    trial.why = why;
    return trial;
  };
  flow::Case c;
  if (const auto why = failure_of([&] { together(world, [&] { c = checked_case(case_file, out, trial); }); }))
    return refuse(*why);
  flow::Vessel vessel;
  if (const auto why = failure_of([&] { vessel = flow::make_vessel(world, c); })) return refuse(*why);
  trial.sites = vessel.setup.sites;
  trial.steps = flow::steps_of(c, vessel.scaling);
  const double updates = static_cast<double>(trial.sites) * static_cast<double>(trial.steps);
  if (updates > most_updates)
    return refuse(
        fmt::format("{} sites in {} steps are {:.2g} updates (at most {:.2g} are tried here). allow more of them.",
                    trial.sites, trial.steps, updates, most_updates));
  BeatBalance balance(c, vessel.scaling);
  flow::RunOptions options{.quiet = true};
  options.hooks.on_row = [&](const flow::MonitorRow& row, std::span<const double>) { balance.add(row); };
  flow::RunResult result;
  if (const auto why = failure_of([&] { result = flow::run(world, c, vessel, options); })) {
    trial.end = VesselTrial::End::unstable;
    trial.why = *why;
    return trial;
  }
  trial.seconds = result.seconds;
  trial.beats = broadcast(world, balance.beats());  // rows are told to rank 0
  return trial;
}

}  // namespace weft::bench
