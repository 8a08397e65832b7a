// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "advise/recorder.hpp"

namespace weft::advise {

/// One place in time where the program waits for others: a call, or waits that follow each other with nothing between
/// them.
struct SyncPoint {
  std::uint64_t first = 0;  ///< event numbers; the last call's, without what else that call did
  std::uint64_t last = 0;
  std::uint16_t site = 0;  ///< of the first call
};

/// The synchronisation points from event `from` to before `end`; with `tests` also where tests found something.
std::vector<SyncPoint> sync_points(const Log& log, std::uint64_t from, std::uint64_t end, bool tests = false);

/// The iterations of a program, as its calls show them.
struct Steps {
  enum class By : std::uint8_t {
    nothing,  ///< no repetition was found: all is one step
    period,   ///< synchronisation points repeat
    site,     ///< they don't, so the one that comes most often starts a step
    hint,     ///< WEFT_ADVISE_STEP
    mark,     ///< MPI_Pcontrol(1)
  };
  By by = By::nothing;
  std::uint16_t site = 0;             ///< after a call there a step starts
  double alike = 0;                   ///< period: which share of the points is what it was a step before
  std::vector<std::uint64_t> starts;  ///< event numbers; the last one is the end: of n + 1 there are n steps
  std::size_t count() const { return starts.size() < 2 ? 0 : starts.size() - 1; }
};

/// Looks at the recorder's last window. `is_hint` says of which sites the user wants to hear that they start a
/// step; may be empty.
Steps find_steps(const Recorder& recorder, const std::function<bool(const Site&)>& is_hint = {});

/// All of that window, as one step.
Steps one_step(const Recorder& recorder);

/// The smallest period in which a sequence repeats itself but for one in five, and which share does; 0: none.
struct Period {
  std::size_t length = 0;
  double alike = 0;
};
Period find_period(const std::vector<std::uint16_t>& sequence);

const char* name_of(Steps::By by);

}  // namespace weft::advise
