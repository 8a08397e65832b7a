// SPDX-License-Identifier: BSD-3-Clause
#include "bench/robustness/robustness.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <system_error>
#include <vector>

#include "bench/robustness/vessel_case.hpp"
#include "bench/robustness/vessel_trial.hpp"
#include "flow/case/case.hpp"
#include "flow/reading/case_reader.hpp"
#include "flow/scaling/scaling.hpp"
#include "phantom/random_vessel.hpp"
#include "weft/transport/collectives.hpp"

namespace weft::bench {

namespace {

using End = VesselTrial::End;

// A folder for what vessels are made of and write, removed in the end unless somebody wants it.
class TrialFolder {
 public:
  TrialFolder(Transport& world, const std::filesystem::path& wanted) : world_(world), is_kept_(!wanted.empty()) {
    on_root(world, [&] {
      path_ = is_kept_ ? wanted
                       : std::filesystem::temp_directory_path() /
                             fmt::format("weft-robustness-{}", static_cast<long>(getpid()));
    });
    path_ = broadcast(world, path_.string());
  }
  ~TrialFolder() {
    if (is_kept_ || world_.rank() != 0) return;
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TrialFolder(const TrialFolder&) = delete;
  TrialFolder& operator=(const TrialFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  Transport& world_;
  bool is_kept_;
  std::filesystem::path path_;
};

// Writes a vessel with a voxel so large that it takes no more updates than are meant for it: they go with its fourth
// power.
std::filesystem::path write_affordable(const phantom::MadeVessel& vessel, const std::filesystem::path& place,
                                       VesselCaseOptions how, double updates) {
  const auto file = write_vessel(vessel, place, how);
  const auto c = flow::read_case(file);
  const double sites = geometry::volume_of(vessel.surface) / std::pow(c.surface.voxel, 3);
  const double wanted = sites * static_cast<double>(flow::steps_of(c, flow::make_scaling(c)));
  if (wanted <= updates) return file;
  how.coarsen *= std::pow(wanted / updates, 0.25);
  return write_vessel(vessel, place, how);
}

struct RobustnessCounts {
  int ran = 0, refused = 0, unstable = 0;
  std::vector<double> mass_errors, delivered_errors;
};

void count(RobustnessCounts& counts, const VesselTrial& trial) {
  (trial.end == End::ran ? counts.ran : trial.end == End::refused ? counts.refused : counts.unstable)++;
  if (trial.end != End::ran || trial.beats.empty()) return;
  counts.mass_errors.push_back(trial.beats.back().mass_error());
  counts.delivered_errors.push_back(trial.beats.back().delivered_flow_error());
}

std::string line_of(const phantom::MadeVessel& vessel, const VesselTrial& trial) {
  auto text = fmt::format("{:<12}{} outlet{}, Re {:.0f}: ", vessel.name, vessel.openings.size() - 1,
                          vessel.openings.size() == 2 ? "" : "s", vessel.highest_reynolds);
  for (const auto& change : trial.changes) text += "with " + change + " ";
  if (trial.end == End::refused) return text + "refused, " + trial.why;
  if (trial.end == End::unstable) return text + "unstable, " + trial.why;
  const auto& beat = trial.beats.back();
  return text + fmt::format("{} sites, {} steps in {:.1f} s, mass {:.2g}, delivered flow {:.2g}", trial.sites,
                            trial.steps, trial.seconds, beat.mass_error(), beat.delivered_flow_error());
}

}  // namespace

void robustness(mpi::Communicator& world, const RobustnessOptions& options) {
  Report report("robustness", world, options);
  const int vessels = options.vessels > 0 ? options.vessels : options.quick ? 5 : 100;
  const VesselCaseOptions how{.beats = options.beats > 0 ? options.beats
                                       : options.quick   ? 0.45
                                                         : 2,
                              .coarsen = options.coarsen > 0 ? options.coarsen
                                         : options.quick     ? 2
                                                             : 1};
  const double updates = options.updates > 0 ? options.updates : options.quick ? 1.2e8 : 2e10;
  report.setting("vessels", std::int64_t{vessels});
  report.setting("seed", static_cast<std::int64_t>(options.seed));
  report.setting("beats", how.beats);
  report.setting("coarsen", how.coarsen);
  report.setting("updates", updates);
  const TrialFolder folder(world, options.out);

  RobustnessCounts counts;
  std::vector<double> seconds;
  for (int k = 0; k < vessels; ++k) {
    const auto vessel = phantom::make_random_vessel(options.seed + static_cast<std::uint64_t>(k));
    const auto place = folder.path() / vessel.name;
    on_root(world, [&] { write_affordable(vessel, place, how, updates); });
    const auto trial =
        try_vessel(world, place / "case.toml", place / "out", 10 * updates);  // what is suggested may cost more
    count(counts, trial);
    seconds.push_back(trial.seconds);
    report.note(line_of(vessel, trial));
    on_root(world, [&] {  // a hundred vessels take hours: what is known already is worth a line
      if (!options.quick) fmt::print("{}\n", line_of(vessel, trial));
      std::fflush(stdout);
    });
  }
  const int started = counts.ran + counts.unstable;
  report.result("mass error", spread_of(counts.mass_errors), "", {.samples = counts.mass_errors});
  report.result("delivered flow error", spread_of(counts.delivered_errors), "", {.samples = counts.delivered_errors});
  report.result("run", spread_of(seconds), "s");
  const auto worst = [](const std::vector<double>& errors) {
    return errors.empty() ? 0.0 : *std::max_element(errors.begin(), errors.end());
  };
  report.figure("stable_share", started > 0 ? static_cast<double>(counts.ran) / started : 0);
  report.figure("refused_share", static_cast<double>(counts.refused) / vessels);
  report.figure("mass_error", worst(counts.mass_errors));
  report.figure("delivered_flow_error", worst(counts.delivered_errors));
  report.finish(world);
}

}  // namespace weft::bench
