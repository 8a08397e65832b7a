// SPDX-License-Identifier: BSD-3-Clause
//
// The bytes of a box's checkpoint. Nothing here is collective.
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
  std::string settings;   ///< all that the state depends on, a line each
  Reading reading;
  bool has_velocities = false;  ///< behind the numbers of each site
  Particles::State particles;   ///< `gained` of all ranks
  std::uint64_t sites = 0, site_bytes = 0;
  std::uint64_t checksum = 0;  ///< of the sites
};

/// With its checksum, filled up to whole pages: the sites begin behind.
std::string bytes_of(Header header);
/// The same bytes from a file, which has to be as long as they say. Throws program::DamagedError.
std::string read_header_bytes(const std::filesystem::path& file);
/// Throws program::DamagedError; `file` is for messages. Memory: as much as the bytes.
Header parse(const std::filesystem::path& file, const std::string& bytes);

/// What a checkpoint of a case depends on, for people to compare: a file goes on only where all lines are the same.
std::string settings_of(const Case& c);

}  // namespace weft::box_program::checkpoint
