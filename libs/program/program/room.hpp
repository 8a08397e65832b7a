// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "weft/error.hpp"

namespace weft::program {

/// What to throw if `file` can't be written: one line that says what to do.
InputError cannot_write(const std::filesystem::path& file, const std::string& why);

/// Makes the file `unfinished` if it isn't there, and gives it that many bytes of the disk, so that a full disk is
/// found before anything is written. Throws InputError, which names the file by its final name. One caller, not
/// collective.
void reserve_room(const std::filesystem::path& final_name, const std::filesystem::path& unfinished, std::int64_t bytes);

}  // namespace weft::program
