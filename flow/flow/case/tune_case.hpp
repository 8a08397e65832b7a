// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::flow {

/// Targets of the tuned windkessels.
struct TuneCase {
  enum class Split : std::uint8_t { murray, area, given };

  bool wanted = false;
  std::optional<double> systolic{}, diastolic{};  ///< Pa; both or none
  std::optional<double> mean{}, pulse{};          ///< Pa; if those are not given. No pulse: only the mean is tuned
  std::size_t at = 0;                             ///< the opening whose pressure has these targets
  Split split = Split::murray;
  std::vector<double> share{};  ///< for each opening its fraction of the flow through the tuned outlets; 0: not tuned
  double proximal = 0.1;        ///< proximal fraction of each outlet's resistance
  double behind = 0;            ///< pressure far behind, Pa
  double tolerance = 0.01;      ///< relative tolerance of the targets

  std::optional<double> wanted_pulse() const { return systolic ? std::optional(*systolic - *diastolic) : pulse; }
  /// The target mean. `above`: the mean minus the lowest pressure of the waveform.
  double wanted_mean(double above) const { return systolic ? *diastolic + above : *mean; }
  std::string text() const;  ///< shortest numbers that read back bitwise identical
  bool operator==(const TuneCase&) const = default;
};

}  // namespace weft::flow
