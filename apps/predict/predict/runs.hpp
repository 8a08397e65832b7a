// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "weft/step/run_profile.hpp"

namespace weft::predict {

/// A run and where it is from.
struct Run {
  std::string name;
  RunProfile profile;
};

/// All runs of a file that weft flow, box or bench steps wrote with --json: the first two hold one, the third one for
/// each way that it measured. Throws InputError that names the file and what is wrong.
std::vector<Run> read_runs(const std::filesystem::path& file);

/// A file, and which of its runs; 0: the only one.
struct NamedRun {
  std::string file;
  std::size_t number = 0;
};
/// What FILE or FILE#3 means; of FILE#x the whole is the file's name.
NamedRun named_run(const std::string& given);

/// The one run that is meant: FILE, or FILE#3 for the third of a file of several.
Run read_run(const std::string& given);

}  // namespace weft::predict
