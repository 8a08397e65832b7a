// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weft/transport/transport.hpp"
#include "weft/tune/halving.hpp"
#include "weft/tune/setting.hpp"

namespace [[gnu::visibility("default")]] weft {

/// Chooses how a program communicates: by the stored result for this machine, MPI library, number of ranks and problem,
/// or by measuring candidates in the first (real) iterations of the program. All ranks agree.
///
///     Tuning tuning(world, "heat 512x512", step_candidates(world));
///     for (...) tuning.iterate([&](const Setting& s) { manager.use(options_of(s)); }, [&] { manager.run_step(); });
///     if (world.rank() == 0) print(tuning.text());
///
/// Candidate 0 is the baseline, such as the program without overlap; another one is chosen only if it is clearly faster
/// (see Halving). On one rank nothing is measured, unless the candidates say otherwise. Construction, iterate() and
/// dry_run() are collective; candidates are the same on all ranks. Not thread-safe.
class Tuning {
 public:
  /// How it measures, and where it stores the result.
  struct Options {
    bool again = false;                             ///< measure even if a result is stored, and replace it
    Halving::Options halving{.limit_seconds = 30};  ///< how candidates are compared
    double sample_seconds = 2e-3;  ///< a measurement has so many iterations that they take about this time
    std::size_t warm_up = 1;       ///< iterations after each change of the setting that are not measured
    std::size_t period = 1;        ///< a measurement has a multiple of so many iterations (for steps that alternate)
    /// The number of iterations of the program. At most half are measured; none if half are too few. 0: no limit.
    std::size_t iterations = 0;
    bool also_alone = false;       ///< the candidates differ on one rank, too
    std::filesystem::path file{};  ///< empty: TuneStore::default_file()
  };
  /// The state of tuning.
  enum class State : std::uint8_t {
    measuring,  ///< the first iterations are being measured
    stored,     ///< a stored result is used
    found,      ///< measured, and stored if the file can be written
    left_alone  ///< one rank, or too few iterations: nothing is chosen, and `use` never called
  };

  /// Reads the stored result. Throws InputError on all ranks if the file is damaged, Error without candidates.
  Tuning(Transport& transport, const std::string& problem, std::vector<Setting> candidates)
      : Tuning(transport, problem, std::move(candidates), Options{}) {}
  /// The same with options.
  Tuning(Transport& transport, const std::string& problem, std::vector<Setting> candidates, const Options& options);

  /// The state of tuning.
  State state() const { return state_; }
  /// Whether measuring is over.
  bool settled() const { return state_ != State::measuring; }
  /// The chosen setting; none: not chosen yet, or nothing is chosen.
  const std::optional<Setting>& chosen() const { return chosen_; }
  /// The speed-up over the baseline, when it was measured.
  double speedup() const { return speedup_; }

  /// Calls `iteration` once, and before that `use` if the setting changes. The time of `use` is not measured. When
  /// settled() has become true, `use` is called once more with the chosen setting, so that the program can destroy what
  /// it kept for other settings; from then on tuning costs next to nothing.
  void iterate(const std::function<void(const Setting&)>& use, const std::function<void()>& iteration);
  /// Iterates until settled: a dry run, for programs that have few real iterations. `use` is called with the chosen
  /// setting.
  void dry_run(const std::function<void(const Setting&)>& use, const std::function<void()>& iteration);

  /// A line for the user: what was chosen, why, and where it is stored. The same on all ranks.
  const std::string& text() const { return text_; }
  /// "CORES, PROCESSOR / MPI LIBRARY / RANKS / PROBLEM"
  const std::string& key() const { return key_; }

 private:
  void look_up();
  std::size_t least_iterations() const;
  void plan(double seconds);
  void settle();
  void store();

  Transport& transport_;
  std::vector<Setting> candidates_;
  Options options_;
  std::filesystem::path file_;
  std::string key_, text_;
  State state_ = State::measuring;
  std::optional<Setting> chosen_;
  double speedup_ = 1;
  std::unique_ptr<Halving> halving_;  // none until a first measurement has shown the duration of an iteration
  std::optional<std::size_t> using_;  // the candidate
  bool handed_over_ = false;          // `use` was called with the chosen setting
  std::size_t iterations_ = 0, warm_ = 0, in_sample_ = 0, sample_ = 1;
  double seconds_ = 0, took_ = 0;  // of this measurement: of its iterations; with the change and iterations before it
};

}  // namespace weft
