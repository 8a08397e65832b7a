// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

namespace weft::advise {

/// What the environment asks for. The same on all ranks: rank 0's is what counts for the report.
struct Settings {
  bool thread = false;  ///< WEFT_PROGRESS=passive|thread
  bool table = true;    ///< WEFT_ADVISE_TABLE=on|off: print it in MPI_Finalize
  bool live = true;     ///< WEFT_ADVISE_LIVE=on|off: keep what ranks record in files until there is a report
  std::string out = "weft_advise";  ///< WEFT_ADVISE_OUT: what the files' names start with
  bool out_asked = false;           ///< it was given
  std::string step;            ///< WEFT_ADVISE_STEP: a call ("MPI_Allreduce") or place that starts a step; empty: found
  std::size_t events = 65536;  ///< WEFT_ADVISE_EVENTS: how many of them a rank keeps, 64 bytes each
  std::size_t trace = 50000;   ///< WEFT_ADVISE_TRACE: how many calls and messages the trace has, of all ranks
  bool lines = true;           ///< WEFT_ADVISE_LINES=on|off: ask addr2line for the places in the source
  std::size_t deadline = 10;   ///< WEFT_ADVISE_DEADLINE: seconds for all that is done in MPI_Finalize

  /// Throws InputError that names the variable, its value, and what is allowed. A relative name is one below `folder`.
  static Settings from_environment(const std::string& folder);
};

}  // namespace weft::advise
