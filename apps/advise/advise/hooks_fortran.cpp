// SPDX-License-Identifier: BSD-3-Clause
// The program's calls of MPI as Fortran sees them: mpif.h and `use mpi` (mpi_isend_), `use mpi_f08` (mpi_isend_f08_, or
// _f08ts_ where buffers are described). Each calls the function of its own name: Open MPI's Fortran calls PMPI itself,
// so its C hooks see nothing of it; MPICH's calls MPI_Isend, from a place in its own library: generate.py makes them of
// functions/mpi_functions.txt.
#include "advise/call.hpp"
#include "advise/functions.hpp"

namespace a = weft::advise;
using namespace weft::advise;  // the slots

namespace {
#include "advise/hooks_fortran.inc"
}  // namespace

#define HOOK(symbol, hook) hooks[slot_##symbol] = reinterpret_cast<void*>(hook);

void weft::advise::add_fortran_hooks(void** hooks) {
#include "advise/hook_table_fortran.inc"
}
