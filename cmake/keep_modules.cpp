// SPDX-License-Identifier: BSD-3-Clause
//
// Linked only into programs of address sanitizer builds. MPI libraries unload their modules at the end. A leak in an
// unloaded module has no symbol names, so tests/lsan.supp could not suppress it. With this dlclose nothing is unloaded.
extern "C" int dlclose(void*) { return 0; }
