// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>

#include "weft/error.hpp"

namespace [[gnu::visibility("default")]] weft {

/// Reads all bytes of a file, or of a pipe until it ends, into memory. Throws the InputError of cannot_read() if the
/// file can't be opened or read to its end, or is a folder or a device (which may have no end).
std::string read_whole(const std::filesystem::path& file, const std::string& advice);

/// The exception for a file that can't be read: one line with the reason, and what to do (`advice`, a sentence).
InputError cannot_read(const std::filesystem::path& file, const std::string& why, const std::string& advice);

}  // namespace weft
