// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "weft/transport/transport.hpp"

namespace weft::program {

/// The end of a run: draws its pictures, if requested, and prints the list of all written files to rank 0's standard
/// output. Collective.
///
/// Rank 0 runs the Python tool that draws (`python -m weft.pictures DIRECTORY --title TITLE`), of any duration; the
/// other ranks wait. If it can't be run, prints one line to the standard error; the run's data are complete. The
/// interpreter is $WEFT_PYTHON; else, if the program lies in a build folder, that of the source tree above it (.venv,
/// which must belong to the program's owner); else python3 of the path. It runs isolated, so that it executes nothing
/// from the working directory.
void print_written(Transport& world, std::vector<std::filesystem::path> files, bool pictures,
                   const std::filesystem::path& directory, const std::string& title);

}  // namespace weft::program
