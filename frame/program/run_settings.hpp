// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <optional>

#include "weft/tune/tuning.hpp"

namespace [[gnu::visibility("default")]] weft {
namespace program {

/// Settings of a run that never change its result, the same for every program; see command_line/run_options.hpp.
struct RunSettings {
  bool check = false;             ///< only print what would be run
  bool files = true;              ///< whether the run writes its files
  bool quiet = false;             ///< no progress bar
  std::filesystem::path json{};   ///< file for the result; empty: none
  std::filesystem::path trace{};  ///< file for the trace (Perfetto); empty: none
  /// Restart from this checkpoint, or from the newest usable one in this directory; empty path: in the output
  /// directory; no value: start from the beginning.
  std::optional<std::filesystem::path> restart{};
  /// Choose the communication settings, by measuring in the first steps or as stored.
  std::optional<Tuning::Options> tune{};
};

}  // namespace program
}  // namespace weft
