// SPDX-License-Identifier: BSD-3-Clause
// The program's calls of MPI as C sees them: generate.py makes them of functions/mpi_functions.txt.
#include "advise/call.hpp"
#include "advise/functions.hpp"

namespace a = weft::advise;
using namespace weft::advise;  // the slots

namespace {
#include "advise/hooks_c.inc"
}  // namespace

#define HOOK(symbol, hook) hooks[slot_##symbol] = reinterpret_cast<void*>(hook);

void weft::advise::add_c_hooks(void** hooks) {
#include "advise/hook_table_c.inc"
}
