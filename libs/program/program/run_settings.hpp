// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>

#include "weft/tune/tuning.hpp"

namespace weft::program {

/// How a person wants a run; never changes its result. The same of every program, see command_line/run_options.hpp.
struct RunSettings {
  bool check = false;             ///< only say what would be run
  bool quiet = false;             ///< no progress bar
  std::filesystem::path json{};   ///< the result for programs; empty: none
  std::filesystem::path trace{};  ///< for Perfetto; empty: none
  /// Go on from this checkpoint, or from the last good one in this directory; empty: in the output directory; none:
  /// from the beginning.
  std::optional<std::filesystem::path> restart{};
  /// Choose how to communicate, in the first steps or as stored.
  std::optional<Tuning::Options> tune{};
};

}  // namespace weft::program
