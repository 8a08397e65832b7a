// SPDX-License-Identifier: BSD-3-Clause
#include "robustness/study.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "flow/case/case.hpp"
#include "flow/reading/case_reader.hpp"
#include "flow/scaling/scaling.hpp"
#include "geometry/read_surface.hpp"
#include "phantom/made_vessel.hpp"
#include "program/scratch_folder.hpp"
#include "robustness/trial_mode.hpp"
#include "robustness/vessel_case.hpp"
#include "robustness/vessel_trial.hpp"
#include "weft/error.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::robustness {

namespace {

using End = VesselTrial::End;

// The changes that keep a trial within its limit of updates: a larger voxel, then a shorter duration. The number of
// updates is proportional to voxel^-4.
struct Affordable {
  double voxel = 1, duration = 1;  // factors
  bool is_there = true;
  std::vector<std::string> changes;
};

Affordable make_affordable(const std::filesystem::path& file, const openings::VesselAnalysis& found, double updates,
                           const std::vector<std::string>& given) {
  constexpr double widest = 3.5, fewest_cells = 4, shortest = 0.25, mm = 1e-3;
  Affordable result;
  result.changes = {"monitor.every=1", "output.summary=false"};
  result.changes.insert(result.changes.end(), given.begin(), given.end());
  const auto c = flow::read_case(file, given);
  const double sites = found.volume * mm * mm * mm / std::pow(c.surface.voxel, 3);
  double needed = sites * static_cast<double>(flow::steps_of(c, flow::make_scaling(c))) / updates;
  if (needed > 1) {
    const double most = std::max(1.0, std::min(widest, found.narrowest * mm / fewest_cells / c.surface.voxel));
    result.voxel = std::min(most, std::pow(needed, 0.25));
    needed /= std::pow(result.voxel, 4);
    result.changes.push_back(fmt::format("surface.voxel=\"{:.4g} mm\"", result.voxel * c.surface.voxel / mm));
  }
  if (needed > 1.01 && c.run.duration) {
    result.duration = 1 / needed;
    result.is_there = result.duration >= shortest;
    result.changes.push_back(fmt::format("run.duration=\"{:.4g} s\"", result.duration * *c.run.duration));
  }
  return result;
}

struct Trial {
  const phantom::MadeVessel& vessel;
  const TrialMode& mode;
  Affordable affordable{};
  VesselTrial end{};
};

const char* word_of(End end) {
  return end == End::ran ? "stable" : end == End::refused ? "refused" : end == End::unstable ? "unstable" : "left out";
}
std::string yes_or_no(const std::optional<bool>& value) { return value ? (*value ? "yes" : "no") : ""; }

std::string line_of(const Trial& t) {
  const auto& e = t.end;
  auto text = fmt::format("{:<11}{:<18}{} outlet{}, Re {:.0f}, cell Re {:.3g}", t.vessel.name, t.mode.name,
                          t.vessel.openings.size() - 1, t.vessel.openings.size() == 2 ? "" : "s",
                          t.vessel.highest_reynolds, e.cell_reynolds);
  if (t.affordable.voxel > 1) text += fmt::format(", voxel x {:.2f}", t.affordable.voxel);
  if (t.affordable.duration < 1) text += fmt::format(", time x {:.2f}", t.affordable.duration);
  text += fmt::format(": {}", word_of(e.end));
  if (e.end == End::refused)
    text += fmt::format(
        "{}{}", e.runs_all_the_same == true ? " wrongly" : "",
        e.change ? fmt::format(", {} helps: {}", *e.change, e.change_helps ? yes_or_no(e.change_helps) : "not tried")
                 : "");
  if (e.end != End::ran) return text + ", " + e.why;
  return text + fmt::format(", {} sites, {} steps in {:.1f} s, mass {:.1g}, delivered flow {:.1g}", e.sites, e.steps,
                            e.seconds, e.mass_error, e.flow_error);
}

constexpr const char* csv_head =
    "mode,vessel,outlets,reynolds,cell_reynolds,voxel_factor,duration_factor,sites,steps,end,wrongly_refused,change,"
    "change_helps,mass_error,delivered_flow_error,delivered_pressure_error,why\n";

std::string csv_row(const Trial& t) {
  const auto& e = t.end;
  auto why = e.why, change = e.change.value_or("");
  std::ranges::replace(why, '"', '\'');
  std::ranges::replace(change, '"', '\'');
  return fmt::format("{},{},{},{:.4g},{:.4g},{:.3f},{:.3f},{},{},{},{:d},\"{}\",{},{:.3g},{:.3g},{:.3g},\"{}\"\n",
                     t.mode.name, t.vessel.name, t.vessel.openings.size() - 1, t.vessel.highest_reynolds,
                     e.cell_reynolds, t.affordable.voxel, t.affordable.duration, e.sites, e.steps, word_of(e.end),
                     e.runs_all_the_same == true, change, yes_or_no(e.change_helps), e.mass_error, e.flow_error,
                     e.pressure_error, why);
}

struct Counts {
  int ran = 0, refused = 0, wrongly = 0, advised = 0, helped = 0, unstable = 0, left_out = 0;
  std::vector<double> mass, flow, pressure;

  void take(const VesselTrial& t) {
    (t.end == End::ran ? ran : t.end == End::refused ? refused : t.end == End::unstable ? unstable : left_out)++;
    wrongly += t.runs_all_the_same == true ? 1 : 0;
    advised += t.change_helps ? 1 : 0;
    helped += t.change_helps == true ? 1 : 0;
    if (t.end != End::ran) return;
    mass.push_back(t.mass_error), flow.push_back(t.flow_error), pressure.push_back(t.pressure_error);
  }
  int started() const { return ran + unstable; }
  int tried() const { return started() + refused; }
};

double share(int part, int whole) { return whole > 0 ? static_cast<double>(part) / whole : 0; }
double worst(const std::vector<double>& errors) {
  return errors.empty() ? 0.0 : *std::max_element(errors.begin(), errors.end());
}

StudyResult result_of(const std::map<std::string, Counts>& by_mode, const Counts& all, std::vector<std::string> notes) {
  for (const auto& [name, counts] : by_mode)
    notes.push_back(
        fmt::format("{}: {} tried, {} stable, {} refused ({} wrongly), {} unstable, {} left out; at most: mass "
                    "{:.2g}, delivered flow {:.2g}, pressure {:.2g}",
                    name, counts.tried(), counts.ran, counts.refused, counts.wrongly, counts.unstable, counts.left_out,
                    worst(counts.mass), worst(counts.flow), worst(counts.pressure)));
  return {.notes = std::move(notes),
          .mass = all.mass,
          .flow = all.flow,
          .pressure = all.pressure,
          .figures = {{"stable_share", share(all.ran, all.started())},
                      {"refused_share", share(all.refused, all.tried())},
                      {"wrongly_refused_share", share(all.wrongly, all.refused)},
                      {"advice_works_share", share(all.helped, all.advised)},
                      {"left_out_share", share(all.left_out, all.tried() + all.left_out)},
                      {"mass_error", worst(all.mass)},
                      {"delivered_flow_error", worst(all.flow)},
                      {"delivered_pressure_error", worst(all.pressure)}}};
}

}  // namespace

StudyResult run_study(mpi::Communicator& world, const StudyOptions& options) {
  std::vector<TrialMode> modes;
  for (const auto& name : options.modes) modes.push_back(trial_mode(name));
  if (modes.empty()) modes = trial_modes();
  std::optional<program::ScratchFolder> scratch;  // used unless --out keeps the vessels and results
  if (options.out.empty()) scratch.emplace(world, "robustness");
  const auto folder = scratch ? scratch->path() : options.out;

  std::map<std::string, Counts> by_mode;
  Counts all;
  std::vector<std::string> notes;
  std::string csv = csv_head;
  for (int k = 0; k < options.vessels; ++k) {
    const auto vessel = phantom::make_random_vessel(options.seed + static_cast<std::uint64_t>(k));
    const auto place = folder / vessel.name;
    openings::VesselAnalysis found;
    together(world, [&] { found = analyse(vessel); });
    for (std::size_t m = 0; m < modes.size(); ++m) {
      if (!options.every_mode && static_cast<std::size_t>(k) % modes.size() != m) continue;
      Trial trial{.vessel = vessel, .mode = modes[m]};
      const auto file = place / (trial.mode.name + ".toml");
      on_root(world, [&] {
        std::filesystem::create_directories(place);
        geometry::write_stl(place / "vessel.stl", vessel.surface);
        write_text(file, mode_case(vessel, found, trial.mode));
      });
      together(world, [&] { trial.affordable = make_affordable(file, found, options.updates, options.changes); });
      if (trial.affordable.is_there) {
        constexpr double estimated = 1.5;  // margin, since sites and narrow lumens are known more exactly later
        trial.end =
            try_vessel(world, file, trial.affordable.changes, place / trial.mode.name, estimated * options.updates);
      } else {
        trial.end.end = End::left_out;
        trial.end.why = "It would take too many site updates.";
      }
      by_mode[trial.mode.name].take(trial.end);
      all.take(trial.end);
      csv += csv_row(trial);
      if (trial.end.end != End::ran) notes.push_back(line_of(trial));
      on_root(world, [&] {  // prints a line per trial, since hundreds of them take hours
        fmt::print("{}\n", line_of(trial));
        std::fflush(stdout);
        if (!options.out.empty()) write_text(options.out / "trials.csv", csv);
      });
    }
  }
  return result_of(by_mode, all, std::move(notes));
}

}  // namespace weft::robustness
