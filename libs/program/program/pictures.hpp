// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace weft::program {

/// Runs the Python tool that draws a finished run's pictures (`python -m weft.pictures DIRECTORY --title TITLE`), with
/// the interpreter of $WEFT_PYTHON, else of .venv in the working directory, else python3. Returns the files that it
/// says it wrote. If it can't be run, says so in one line on the standard error and returns nothing: the run's data are
/// there.
std::vector<std::filesystem::path> make_pictures(const std::filesystem::path& directory, const std::string& title);

}  // namespace weft::program
