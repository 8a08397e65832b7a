// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "weft/transport/transport.hpp"

namespace weft::program {

/// Rank 0 runs the Python tool that draws a finished run's pictures (`python -I -m weft.pictures DIRECTORY --title
/// TITLE`), however long it takes; the others wait. Returns the files that it says it wrote, on rank 0. If it can't be
/// run, it says so in one line on the standard error and returns nothing: the run's data are there. Collective.
///
/// The interpreter is that of $WEFT_PYTHON, else, if the program lies in a build folder, that of the source tree above
/// it (.venv, which has to belong to the program's owner), else python3 of the path; isolated, so that it runs nothing
/// that lies in the working directory.
std::vector<std::filesystem::path> make_pictures(Transport& world, const std::filesystem::path& directory,
                                                 const std::string& title);

/// What a run ends with: its pictures, if it is to have some, and the list of all files that it wrote, on rank 0's
/// standard output. Collective.
void tell_written(Transport& world, std::vector<std::filesystem::path> files, bool pictures,
                  const std::filesystem::path& directory, const std::string& title);

}  // namespace weft::program
