// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace weft::advise {

/// Calls of these functions, from wherever in the process they are made, go to `hooks` instead of `functions` (where
/// both are there): the tables of addresses by which each library calls others are written to. For names that must not
/// be shown, since a program asks by them what its MPI library can do (mpi4py does). What is loaded later is not found.
void redirect(const char* const* names, void* const* functions, void* const* hooks, unsigned count);

}  // namespace weft::advise
