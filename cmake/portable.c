/* SPDX-License-Identifier: BSD-3-Clause */
/* Functions of new versions of glibc, on old ones. Debian's archives (Cairo, expat, libstdc++) need them. Without these
   copies the programs would need glibc 2.36 instead of 2.34. */
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

/* hypot and hypotf got a new version in 2.35, which only differs in how it reports errors. */
#if defined(__aarch64__)
#define OLDEST "GLIBC_2.17"
#else
#define OLDEST "GLIBC_2.2.5"
#endif
__asm__(".symver old_hypot, hypot@" OLDEST);
__asm__(".symver old_hypotf, hypotf@" OLDEST);
double old_hypot(double x, double y);
float old_hypotf(float x, float y);
__attribute__((visibility("hidden"))) double hypot(double x, double y) { return old_hypot(x, y); }
__attribute__((visibility("hidden"))) float hypotf(float x, float y) { return old_hypotf(x, y); }

/* expat's seed of its hash tables, and std::random_device. */
__attribute__((visibility("hidden"))) void arc4random_buf(void* to, size_t bytes) {
  char* at = to;
  while (bytes > 0) {
    const long got = syscall(SYS_getrandom, at, bytes, 0);
    if (got <= 0) continue;
    at += got;
    bytes -= (size_t)got;
  }
}

__attribute__((visibility("hidden"))) unsigned int arc4random(void) {
  unsigned int value;
  arc4random_buf(&value, sizeof value);
  return value;
}
