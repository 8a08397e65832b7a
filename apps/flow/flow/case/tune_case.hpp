// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::flow {

/// What windkessels that are tuned shall bring about.
struct TuneCase {
  enum class Split : std::uint8_t { murray, area, given };

  bool wanted = false;
  std::optional<double> systolic{}, diastolic{};  ///< Pa; both or none
  std::optional<double> mean{}, pulse{};          ///< Pa; where those are not given. No pulse: only the mean is tuned
  std::size_t at = 0;                             ///< the opening where that is
  Split split = Split::murray;
  std::vector<double>
      share{};  ///< of each opening: the part that it takes of what goes through the tuned ones; 0: it is none
  double proximal = 0.1;    ///< part of each outlet's resistance that is proximal
  double behind = 0;        ///< pressure far behind, Pa
  double tolerance = 0.01;  ///< targets are met within this part of them

  std::optional<double> wanted_pulse() const { return systolic ? std::optional(*systolic - *diastolic) : pulse; }
  /// The mean that is wanted of a pressure that goes up and down like another one. `above`: what that one's mean is
  /// above its lowest.
  double wanted_mean(double above) const { return systolic ? *diastolic + above : *mean; }
  std::string text() const;  ///< in the shortest texts that give the same bits back
};

}  // namespace weft::flow
