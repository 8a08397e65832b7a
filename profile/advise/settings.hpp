// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

namespace weft::advise {

/// The settings of the environment. They should be the same on all ranks; rank 0's determine the report.
struct Settings {
  bool thread = false;              ///< WEFT_PROGRESS=passive|thread
  bool table = true;                ///< WEFT_ADVISE_TABLE=on|off: print it in MPI_Finalize
  bool live = true;                 ///< WEFT_ADVISE_LIVE=on|off: keep the records in files until there is a report
  std::string out = "weft_advise";  ///< WEFT_ADVISE_OUT: start of the file names
  bool out_asked = false;           ///< WEFT_ADVISE_OUT is set
  bool numbered = false;  ///< WEFT_ADVISE_NUMBERED=on|off: keep the reports of all programs of a command (claim.hpp)
  std::string step;       ///< WEFT_ADVISE_STEP: a call ("MPI_Allreduce") or call site that ends a step; empty: detected
  std::size_t events = 65536;  ///< WEFT_ADVISE_EVENTS: number of events that a rank keeps, 64 bytes each
  std::size_t trace = 50000;   ///< WEFT_ADVISE_TRACE: number of calls and messages in the trace, over all ranks
  bool lines = true;           ///< WEFT_ADVISE_LINES=on|off: run addr2line to find source lines
  std::size_t deadline = 10;   ///< WEFT_ADVISE_DEADLINE: seconds for all work in MPI_Finalize

  /// Throws an InputError that names the variable, its value, and the allowed values. A relative path is below
  /// `folder`.
  static Settings from_environment(const std::string& folder);
};

}  // namespace weft::advise
