/* SPDX-License-Identifier: BSD-3-Clause */
/* Debian's libhdf5_serial.a is compiled for executables: it reads stderr and stdout as if they lay in the same object.
   A shared object that links it therefore has own copies of the two pointers. */
#include <dlfcn.h>

typedef struct _IO_FILE FILE;
__attribute__((visibility("hidden"))) FILE* stderr;
__attribute__((visibility("hidden"))) FILE* stdout;

__attribute__((constructor(101))) static void set(void) {
  stderr = *(FILE**)dlsym(RTLD_DEFAULT, "stderr");
  stdout = *(FILE**)dlsym(RTLD_DEFAULT, "stdout");
}
