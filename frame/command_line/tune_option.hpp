// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "weft/tune/tuning.hpp"

namespace CLI {
class App;
}

namespace weft::command_line {

/// `--tune` and `--tune=again`, the same for all subcommands.
struct TuneOption {
  std::string wish;  ///< empty: not given

  /// Excludes the options that tuning chooses, for example "--progress"; these must have been added before.
  void add_to(CLI::App& command, const std::vector<std::string>& chosen);
  /// None if it was not given.
  std::optional<Tuning::Options> wanted() const {
    if (wish.empty()) return {};
    Tuning::Options options;
    options.again = wish == "again";
    return options;
  }
};

}  // namespace weft::command_line
