// SPDX-License-Identifier: BSD-3-Clause
#include "robustness/vessel_trial.hpp"

#include <fmt/format.h>

#include <span>

#include "flow/case/case.hpp"
#include "flow/reading/case_reader.hpp"
#include "flow/run/simulation.hpp"
#include "flow/scaling/lattice_choice.hpp"
#include "flow/scaling/scaling.hpp"
#include "flow/set_up/check.hpp"
#include "flow/vessel/vessel.hpp"
#include "robustness/trial_balance.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::robustness {

namespace {

// The first finding that refuses the case.
std::optional<std::string> refusal_of(const flow::Case& c, const flow::Scaling& scaling) {
  for (const auto& finding : flow::find_problems(c, scaling))
    if (finding.refused) return finding.text;
  return std::nullopt;
}

// Throws the exception of any rank on all ranks, with the same message.
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
  const std::string set = "Set ", to = " to ";
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

namespace {

// Runs a case as far as possible. If `insists`, weft flow's refusals are ignored.
VesselTrial run_case(mpi::Communicator& world, const std::filesystem::path& file,
                     const std::vector<std::string>& changes, const std::filesystem::path& out, double most_updates,
                     bool insists) {
  VesselTrial trial;
  const auto ended = [&](VesselTrial::End end, const std::string& why) {
    trial.end = end;
    trial.why = why;
    return trial;
  };
  using End = VesselTrial::End;
  flow::Case c;
  const auto check = [&] {  // checks what is known so far
    if (insists) return;
    if (const auto refusal = refusal_of(c, flow::make_scaling(c))) throw InputError(*refusal);
  };
  if (const auto why = failure_of([&] {
        together(world, [&] {
          c = flow::read_case(file, changes);
          c.output.directory = out;
          check();
        });
      }))
    return ended(End::refused, *why);
  flow::Vessel vessel;
  if (const auto why = failure_of([&] {
        vessel = flow::make_vessel(world, c);
        together(world, check);
      }))
    return ended(End::refused, *why);
  trial.cell_reynolds = flow::peak_cell_reynolds(c);
  trial.sites = vessel.setup.sites;
  trial.steps = flow::steps_of(c, vessel.scaling);
  const double updates = static_cast<double>(trial.sites) * static_cast<double>(trial.steps);
  if (updates > most_updates)
    return ended(End::left_out, fmt::format("{} sites in {} steps are {:.2g} updates, above the limit of {:.2g}.",
                                            trial.sites, trial.steps, updates, most_updates));
  TrialBalance balance(c, vessel.scaling);
  flow::RunOptions options{.settings = {.quiet = true}};
  options.hooks.on_row = [&](const flow::MonitorRow& row, std::span<const double>) { balance.add(row); };
  if (const auto why = failure_of([&] { trial.seconds = flow::run(world, c, vessel, options).seconds; }))
    return ended(End::unstable, *why);
  const auto errors =  // only rank 0 gets rows
      broadcast(world, std::vector{balance.mass_error(), balance.flow_error(), balance.pressure_error()});
  trial.mass_error = errors[0], trial.flow_error = errors[1], trial.pressure_error = errors[2];
  return trial;
}

}  // namespace

VesselTrial try_vessel(mpi::Communicator& world, const std::filesystem::path& case_file,
                       const std::vector<std::string>& changes, const std::filesystem::path& out, double most_updates) {
  using End = VesselTrial::End;
  auto trial = run_case(world, case_file, changes, out, most_updates, false);
  if (trial.end != End::refused) return trial;
  const auto holds = [&](const VesselTrial& other) -> std::optional<bool> {
    if (other.end == End::left_out || other.end == End::refused) return std::nullopt;
    return other.end == End::ran;
  };
  trial.runs_all_the_same = holds(run_case(world, case_file, changes, out, most_updates, true));
  trial.change = suggested_change(trial.why);
  if (!trial.change) return trial;
  auto changed = changes;
  changed.push_back(*trial.change);
  constexpr double dearer = 10;  // the advised case may need more updates
  trial.change_helps = holds(run_case(world, case_file, changed, out, dearer * most_updates, false));
  return trial;
}

}  // namespace weft::robustness
