/* SPDX-License-Identifier: BSD-3-Clause */
/* Debian's archives of HDF5 and bzip2 are compiled for executables: they read stdin, stdout and stderr as if these lay in
   the same object. A shared object that links them therefore has its own copies of the pointers. */
#include <dlfcn.h>

typedef struct _IO_FILE FILE;
__attribute__((visibility("hidden"))) FILE* stderr;
__attribute__((visibility("hidden"))) FILE* stdout;
__attribute__((visibility("hidden"))) FILE* stdin;

__attribute__((constructor(101))) static void set(void) {
  stderr = *(FILE**)dlsym(RTLD_DEFAULT, "stderr");
  stdout = *(FILE**)dlsym(RTLD_DEFAULT, "stdout");
  stdin = *(FILE**)dlsym(RTLD_DEFAULT, "stdin");
}
