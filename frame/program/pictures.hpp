// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "weft/transport/transport.hpp"

namespace weft::program {

/// Rank 0 runs the Python tool that draws a finished run's pictures (`python -m weft.pictures DIRECTORY --title
/// TITLE`), of any duration; the other ranks wait. Returns on rank 0 the files that the tool lists. If the tool can't
/// be run, prints one line to the standard error and returns nothing; the run's data are complete. Collective.
///
/// The interpreter is $WEFT_PYTHON; else, if the program lies in a build folder, that of the source tree above it
/// (.venv, which must belong to the program's owner); else python3 of the path. It runs isolated, so that it executes
/// nothing from the working directory.
std::vector<std::filesystem::path> make_pictures(Transport& world, const std::filesystem::path& directory,
                                                 const std::string& title);

/// The end of a run: draws its pictures, if requested, and prints the list of all written files to rank 0's standard
/// output. Collective.
void tell_written(Transport& world, std::vector<std::filesystem::path> files, bool pictures,
                  const std::filesystem::path& directory, const std::string& title);

}  // namespace weft::program
