// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "weft/step/run_profile.hpp"

namespace weft::predict {

/// A run and its origin.
struct Run {
  std::string name;
  RunProfile profile;
};

/// All runs of a file that weft flow, box or bench steps wrote with --json: the first two have one run, the third has
/// one for each measured way. Throws InputError with the file and the reason.
std::vector<Run> read_runs(const std::filesystem::path& file);

/// A file and the number of its run; 0: the only one.
struct NamedRun {
  std::string file;
  std::size_t number = 0;
};
/// Parses FILE or FILE#3; FILE#x as a whole is a file name.
NamedRun named_run(const std::string& given);

/// The run of FILE, or of FILE#3 (the third run of a file).
Run read_run(const std::string& given);

}  // namespace weft::predict
