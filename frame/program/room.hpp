// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>

#include "weft/file/beside.hpp"

namespace weft::program {

/// Reserves disk space for the file `unfinished`, so that a full disk is detected before anything is written. Throws
/// InputError, which names the file by its final name. For one rank, not collective.
void reserve_room(const std::filesystem::path& final_name, const std::filesystem::path& unfinished, std::int64_t bytes);

}  // namespace weft::program
