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

  /// Refused together with the options that it chooses, e.g. "--progress"; they have to be there before.
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
