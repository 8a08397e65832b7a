// SPDX-License-Identifier: BSD-3-Clause
// The interface between the loader, which needs neither MPI nor a C++ library, and the library for one ABI.
#pragma once

namespace weft::advise {

/// Loader and library are generated from the same table; this number detects a library of another build.
inline constexpr unsigned opening_version = 1;

struct Opening {
  unsigned version, slots;
  /// The functions behind the slots without weft: of the next tool, or of the MPI library; null if there is none.
  void* const* next;
  /// Set by the library: the function to put into each slot; null: `next`.
  void** hooks;
  /// The working directory at the start: the program may change it before MPI_Init.
  const char* folder;
  /// Looks up a symbol of the MPI library.
  void* (*symbol)(const char* name);
};

/// weft_advise_open(opening): returns null, or the reason of a failure, to be printed after the library's path.
using Open = const char* (*)(const Opening*);

}  // namespace weft::advise
