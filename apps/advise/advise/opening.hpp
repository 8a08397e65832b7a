// SPDX-License-Identifier: BSD-3-Clause
// What passes between the loader, which needs no MPI and no C++ library, and the library for one ABI.
#pragma once

namespace weft::advise {

/// Both are made of one table; a library of another build is refused by this number.
inline constexpr unsigned opening_version = 1;

struct Opening {
  unsigned version, slots;
  /// What a slot's name leads to without weft: the next tool's function, or the MPI library's. Null: it has none.
  void* const* next;
  /// Set by the library: what is to stand in the slot; null: `next`.
  void** hooks;
  /// Where the program was started: it may go elsewhere before MPI_Init.
  const char* folder;
  /// A symbol of the MPI library.
  void* (*symbol)(const char* name);
};

/// weft_advise_open(opening): null, or in a few words why it can't.
using Open = const char* (*)(const Opening*);

}  // namespace weft::advise
