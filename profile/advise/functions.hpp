// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "advise/abi/mpi.hpp"
#include "advise/opening.hpp"
#include "advise/slot_numbers.hpp"

namespace weft::advise {

extern void* const* next_functions;
extern const char* opening_folder;  ///< the program's working directory at its start

/// The function that the program would call without this library.
inline void* next(Slot slot) { return next_functions[slot]; }

/// "Open MPI v4.1.4"
std::string library_name();

/// Each puts the hooks of one source file into their slots.
void add_c_hooks(void** hooks);
void add_fortran_hooks(void** hooks);
void add_setup_hooks(void** hooks);

}  // namespace weft::advise
