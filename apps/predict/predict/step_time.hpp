// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "predict/network.hpp"
#include "predict/problem.hpp"
#include "weft/timeline/overlap_fraction.hpp"

namespace weft::predict {

/// How a program communicates.
struct Strategy {
  bool coalesce = true;
  std::string progress = "polling";  ///< "passive": no overlap but what the network does by itself

  bool operator==(const Strategy&) const = default;
};
std::string name_of(const Strategy& strategy);

/// Where a step's time goes, in seconds. docs/predict.md tells the formulas.
struct StepTime {
  double compute = 0;  ///< with packing, mean over the ranks
  double calls = 0;    ///< of the processor, for messages and synchronisation points
  double exposed = 0;  ///< messages are waited for
  double late = 0;     ///< other ranks are
  double flight = 0;   ///< of messages, without overlap

  double step() const { return compute + calls + exposed + late; }
  /// weft::overlap_fraction of the messages' flight and the computation.
  double overlap_fraction() const { return weft::overlap_fraction(flight, compute, compute + exposed); }
};

/// Pure.
StepTime step_time(const Load& load, const Network& network, const Strategy& strategy,
                   Outlook outlook = Outlook::likely);

}  // namespace weft::predict
