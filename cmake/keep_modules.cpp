// SPDX-License-Identifier: BSD-3-Clause
//
// Linked into the programs of address sanitizer builds only. MPI libraries unload their modules when they end, and a
// leak of a module that is gone has no name that tests/lsan.supp could tell. So nothing is unloaded.
extern "C" int dlclose(void*) { return 0; }
