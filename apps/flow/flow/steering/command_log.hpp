// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "flow/steering/command.hpp"
#include "flow/steering/limits.hpp"
#include "weft/transport/transport.hpp"

namespace weft::flow {

/// What was changed while a flow ran: a line of JSON each, after a line about the run. Written by rank 0, each line at
/// once.
class CommandLog {
 public:
  /// Makes the file and the folders above it. Of an older log of the same run, which goes on from `from_step`, what was
  /// changed before stays, but for a stop. The limits are borrowed. Throws InputError.
  CommandLog(std::filesystem::path file, const std::string& title, std::int64_t sites, const Limits& limits,
             std::int64_t from_step = 0);
  void append(const TimedCommand& timed);
  const std::filesystem::path& file() const { return file_; }

 private:
  void write(const std::string& line);

  std::filesystem::path file_;
  std::ofstream out_;
  const Limits& limits_;
};

/// What such a file says, in order: read by rank 0, for all ranks. A file of hand needs no line about the run.
/// Collective. Throws InputError on every rank: file, line, what is wrong.
std::vector<TimedCommand> read_command_log(Transport& transport, const std::filesystem::path& file, std::int64_t sites,
                                           const Limits& limits);

}  // namespace weft::flow
