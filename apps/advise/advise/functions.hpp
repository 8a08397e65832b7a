// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

#include "advise/abi/mpi.hpp"
#include "advise/opening.hpp"
#include "advise/slot_numbers.hpp"

namespace weft::advise {

extern void* const* next_functions;
extern const char* opening_folder;  ///< where the program was started

/// What the program would have called without us.
inline void* next(Slot slot) { return next_functions[slot]; }

/// "Open MPI v4.1.4"
std::string library_name();

/// The hooks of each source file, into their slots.
void add_c_hooks(void** hooks);
void add_fortran_hooks(void** hooks);
void add_setup_hooks(void** hooks);

}  // namespace weft::advise
