// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "advise/call_sites.hpp"
#include "advise/recorder.hpp"
#include "weft/names.hpp"

namespace weft::advise {

/// One wait of the program for other ranks: a call, or consecutive waits without other calls between them.
struct SyncPoint {
  std::uint64_t first = 0;  ///< event numbers of the first and last call; without the second event of a call
  std::uint64_t last = 0;
  std::uint16_t site = 0;  ///< site of the first call
};

/// The waits of events [from, end); with `tests` also tests that completed a request.
std::vector<SyncPoint> sync_points(const Log& log, std::uint64_t from, std::uint64_t end, bool tests = false);

/// The iterations of a program, detected from its calls.
struct Steps {
  enum class By : std::uint8_t {
    nothing,  ///< no repetition was found: the whole run is one step
    period,   ///< the sequence of waits is periodic
    site,     ///< it is not, so the most frequent wait ends a step
    hint,     ///< WEFT_ADVISE_STEP
    mark,     ///< MPI_Pcontrol(1)
  };
  static constexpr Names<By> by_names{
      "way to find steps",
      {{By::nothing, "nothing"}, {By::period, "period"}, {By::site, "site"}, {By::hint, "hint"}, {By::mark, "mark"}}};
  By by = By::nothing;
  std::uint16_t site = 0;  ///< a step starts after a call of this site
  double alike = 0;        ///< period: share of the waits that are the same as one period before
  /// A loop inside the step, which might be the step, too: the site of its last call.
  std::optional<std::uint16_t> shorter;
  std::vector<std::uint64_t> starts;  ///< event numbers; the last one is the end: n + 1 entries for n steps
  std::size_t count() const { return starts.size() < 2 ? 0 : starts.size() - 1; }
};

/// Finds the steps in the recorder's last window. `is_hint` returns whether the user named a site as the end of a step;
/// may be empty.
Steps find_steps(const Recorder& recorder, const std::function<bool(const Site&)>& is_hint = {});

/// That window as one step.
Steps one_step(const Recorder& recorder);

/// Whether the user's text (WEFT_ADVISE_STEP, weft run --step) names this place: a part of it, in any of the forms that
/// reports print: "solver.c:88 solve", "solve (solver.c:88)".
bool names(const std::string& text, const Name& place);
/// The same for a call: "MPI_Allreduce", a place, or both: "MPI_Allreduce in solve (solver.c:88)".
bool names(const std::string& text, const std::string& call, const Name& place);

/// The call sites that the user named as the end of a step. If no call site has that name, those whose caller has it.
class StepHint {
 public:
  StepHint() = default;
  StepHint(const std::string& text, const Recorder& recorder, const Naming& naming);

  bool matches(std::size_t site) const { return site < matches_.size() && matches_[site]; }
  bool matches_any() const { return any_; }
  /// The text names a caller, but a call site that matches has other callers, too.
  bool is_one_of_callers() const { return one_of_callers_; }

 private:
  std::vector<bool> matches_;
  bool any_ = false, one_of_callers_ = false;
};

}  // namespace weft::advise
