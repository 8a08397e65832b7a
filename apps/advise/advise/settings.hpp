// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <string>

namespace weft::advise {

/// What the environment asks for. The same on all ranks: rank 0's is what counts for the report.
struct Settings {
  bool on = true;                   ///< WEFT_ADVISE=on|off
  bool thread = false;              ///< WEFT_PROGRESS=passive|thread
  std::string out = "weft_advise";  ///< WEFT_ADVISE_OUT: what the files' names start with
  std::string step;            ///< WEFT_ADVISE_STEP: a call ("MPI_Allreduce") or place that starts a step; empty: found
  std::size_t events = 65536;  ///< WEFT_ADVISE_EVENTS: how many of them a rank keeps, 64 bytes each
  std::size_t trace = 200000;  ///< WEFT_ADVISE_TRACE: how many calls and messages the trace has, of all ranks
  bool lines = true;           ///< WEFT_ADVISE_LINES=on|off: ask addr2line for the places in the source

  /// Throws InputError that names the variable, its value, and what is allowed.
  static Settings from_environment();
};

}  // namespace weft::advise
