// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "advise/call_sites.hpp"
#include "advise/recorder.hpp"

namespace weft::advise {

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
