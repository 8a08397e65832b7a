// SPDX-License-Identifier: BSD-3-Clause
//
// The format of a box's checkpoint. Nothing here is collective.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "box_program/case.hpp"
#include "box_program/monitor.hpp"
#include "box_program/particles.hpp"

namespace weft::box_program::checkpoint {

struct Header {
  std::int64_t step = 0;  ///< of steps done, even
  std::string settings;   ///< all settings on which the state depends, one line each
  Reading reading;
  bool has_velocities = false;  ///< after the numbers of each site
  Particles::State particles;   ///< `gained` of all ranks
  std::uint64_t sites = 0, site_bytes = 0;
  std::uint64_t checksum = 0;  ///< of the sites
};

/// The header with its checksum, padded to whole pages: the sites follow.
std::string bytes_of(Header header);
/// Reads the same bytes from a file, whose length must match them. Throws program::DamagedError.
std::string read_header_bytes(const std::filesystem::path& file);
/// Parses a header. Throws program::DamagedError; `file` is for messages. Memory: as much as the bytes.
Header parse(const std::filesystem::path& file, const std::string& bytes);

/// The settings of a case on which its checkpoint depends, as text: a file is restored only if all lines are the same.
std::string settings_of(const Case& c);

}  // namespace weft::box_program::checkpoint
