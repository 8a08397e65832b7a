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

/// The log of commands to a running flow: a header line, then one line of JSON per command. Rank 0 writes and flushes
/// each line at once.
class CommandLog {
 public:
  /// Creates the file and its folders. If the run restarts from `from_step`, the commands of an existing log before
  /// that step stay, except a stop. The limits are borrowed. Throws InputError.
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

/// Reads the commands of a log, in order, on rank 0, and broadcasts them. A hand-written file needs no header line.
/// Collective. Throws InputError on every rank with file, line and mistake.
std::vector<TimedCommand> read_command_log(Transport& transport, const std::filesystem::path& file, std::int64_t sites,
                                           const Limits& limits);

}  // namespace weft::flow
