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

namespace weft {

/// Chooses how a program communicates: by what is stored for this machine, MPI library, number of ranks and problem,
/// else by measuring candidates while the program runs its first iterations, which are none the less real ones. All
/// ranks agree.
///
///     Tuning tuning(world, "heat 512x512", step_candidates(world));
///     for (...) tuning.iterate([&](const Setting& s) { manager.use(options_of(s)); }, [&] { manager.run_step(); });
///     if (world.rank() == 0) print(tuning.text());
///
/// Candidate 0 is the program without overlap; another one is chosen only if it is clearly faster (see Halving). On one
/// rank nothing is measured. Construction and iterate() are collective, and candidates the same on all ranks. Not
/// thread-safe.
class Tuning {
 public:
  /// How it measures, and where it keeps what it found.
  struct Options {
    bool again = false;                             ///< measure even if something is stored, and replace it
    Halving::Options halving{.limit_seconds = 30};  ///< how candidates are compared
    double sample_seconds = 2e-3;  ///< a measurement is of so many iterations that it lasts as long, about
    std::size_t warm_up = 1;       ///< iterations after each change that are not measured
    std::size_t period = 1;        ///< a measurement is of a multiple of so many iterations (steps may differ by turns)
    /// That the program will make at most: a half of them may be measured, or nothing is. 0: no end.
    std::size_t iterations = 0;
    std::filesystem::path file{};  ///< empty: TuneStore::default_file()
  };
  /// How far it is.
  enum class State : std::uint8_t {
    measuring,  ///< the first iterations are running
    stored,     ///< it was known before
    found,      ///< measured, and stored if the file can be written
    left_alone  ///< one rank, or too few iterations: nothing is chosen, and `use` never called
  };

  /// Reads what is stored. Throws InputError on all ranks if the file is damaged, Error if there are no candidates.
  Tuning(Transport& transport, const std::string& problem, std::vector<Setting> candidates)
      : Tuning(transport, problem, std::move(candidates), Options{}) {}
  /// The same, as the options say.
  Tuning(Transport& transport, const std::string& problem, std::vector<Setting> candidates, const Options& options);

  /// How far it is.
  State state() const { return state_; }
  /// Whether nothing is measured any more.
  bool settled() const { return state_ != State::measuring; }
  /// What was chosen; none: nothing yet, or left alone.
  const std::optional<Setting>& chosen() const { return chosen_; }
  /// Over the program without overlap, when it was measured.
  double speedup() const { return speedup_; }

  /// Calls `iteration` once; before that, `use` if another setting is to be used than before. What `use` takes is not
  /// measured. It is called once more when settled() has become true, with what was chosen, so that what was kept for
  /// other settings may go; from then on tuning costs next to nothing.
  void iterate(const std::function<void(const Setting&)>& use, const std::function<void()>& iteration);
  /// Iterates until settled: a dry run, for programs that have few real iterations. `use` is called with what was
  /// chosen.
  void dry_run(const std::function<void(const Setting&)>& use, const std::function<void()>& iteration);

  /// What was chosen, why, and where it is kept: a line for a person. The same on all ranks.
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
  std::unique_ptr<Halving> halving_;  // none until a first measurement told how long an iteration takes
  std::optional<std::size_t> using_;  // the candidate
  bool handed_over_ = false;          // `use` was called with what was chosen
  std::size_t iterations_ = 0, warm_ = 0, in_sample_ = 0, sample_ = 1;
  double seconds_ = 0;  // of this sample
};

}  // namespace weft
