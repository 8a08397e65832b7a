// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "predict/network.hpp"
#include "predict/problem.hpp"
#include "weft/timeline/overlap_fraction.hpp"

namespace weft::predict {

/// The communication strategy of a program.
struct Strategy {
  bool coalesce = true;
  std::string progress = "polling";  ///< "passive": only the overlap that needs no progress calls

  bool operator==(const Strategy&) const = default;
};
std::string name_of(const Strategy& strategy);

/// The parts of a step's time, in seconds. The formulas are in docs/predict.md.
struct StepTime {
  double compute = 0;  ///< with packing, mean over the ranks
  double calls = 0;    ///< processor time for messages and waits
  double exposed = 0;  ///< wait for messages
  double late = 0;     ///< wait for late ranks
  double flight = 0;   ///< of messages, without overlap

  double step() const { return compute + calls + exposed + late; }
  /// weft::overlap_fraction of the messages' flight and the computation.
  double overlap_fraction() const { return weft::overlap_fraction(flight, compute, compute + exposed); }
};

/// Pure.
StepTime step_time(const Load& load, const Network& network, const Strategy& strategy,
                   Outlook outlook = Outlook::likely);

}  // namespace weft::predict
