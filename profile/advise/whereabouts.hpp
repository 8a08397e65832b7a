// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advise/call_sites.hpp"
#include "weft/names.hpp"

namespace weft::advise {

/// A process, so that others can find out whether it still runs. A plain struct, since it is stored in a file.
struct ProcessMark {
  std::int32_t pid = 0;
  std::int32_t locks = 0;     ///< it holds a lock of the file as long as it runs
  std::uint64_t started = 0;  ///< as in /proc/PID/stat, since the pid may be used again
  char boot[40] = "";         ///< identifies the machine until it is booted again
  char host[64] = "";
  char program[256] = "";

  static ProcessMark of_this();
  bool is_on_this_machine() const;
};

/// Locks an open file until this process ends.
bool lock_file(int file);

/// Where a rank is in its program.
struct Whereabouts {
  enum class Process : std::uint8_t {
    runs,
    ended,
    elsewhere,  ///< on another machine: it may run
    finished,   ///< with its last MPI session
  };
  static constexpr Names<Process> process_names{"process",
                                                {{Process::runs, "runs"},
                                                 {Process::ended, "ended"},
                                                 {Process::elsewhere, "unknown"},
                                                 {Process::finished, "finished"}}};
  int rank = 0;
  Process process = Process::ended;
  std::string host;
  int pid = 0;
  bool inside = false;     ///< in a call; else it computes, after that call
  bool goes_on = false;    ///< it entered or left calls while it was observed
  std::string call;        ///< empty: none yet
  CallSite place, caller;  ///< the caller at the first call from this place
  double seconds = -1;     ///< since it entered or left the call; below 0: unknown
};

/// Whether the process that wrote this file runs.
Whereabouts::Process process_of(const ProcessMark& mark, const std::string& file);

}  // namespace weft::advise
