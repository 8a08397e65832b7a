/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Names parts of an MPI program for `weft run`, whose report then has the overlap of each:
 *
 *     weft_region_begin("halo");
 *     ...
 *     weft_region_end("halo");
 *
 * Regions may be inside others; their name is then "step/halo". A program that includes this file needs no library of
 * weft: without `weft run` a call is a comparison with zero. Names are copied at their first use. MPI need not be
 * initialised. Thread-safe, but the regions are those of the process. For GCC, Clang and compilers that know their
 * attributes; elsewhere the calls do nothing. */
#ifndef WEFT_REGION_H
#define WEFT_REGION_H

#if defined(__GNUC__) && defined(__ELF__)
#ifdef __cplusplus
extern "C" {
#endif
/* In the library that `weft run` preloads. */
extern void weft_mark_region(const char* name, int enters) __attribute__((weak));
#ifdef __cplusplus
}
#endif

#if defined(__PIC__) || defined(__PIE__)
static inline void weft_region_tell(const char* name, int enters) {
  if (weft_mark_region) weft_mark_region(name, enters);
}
#else
/* The linker would make the weak symbol zero for good. (Before glibc 2.34 link with -ldl.) */
#include <dlfcn.h>
static inline void weft_region_tell(const char* name, int enters) {
  static void (*mark)(const char*, int);
  static int is_known;
  if (!is_known) {
    *(void**)&mark = dlsym((void*)0, "weft_mark_region");
    is_known = 1;
  }
  if (mark) mark(name, enters);
}
#endif
static inline void weft_region_begin(const char* name) { weft_region_tell(name, 1); }
static inline void weft_region_end(const char* name) { weft_region_tell(name, 0); }
#else
static inline void weft_region_begin(const char* name) { (void)name; }
static inline void weft_region_end(const char* name) { (void)name; }
#endif

#ifdef __cplusplus
/* A region from here to the end of the block: weft_region in_halo("halo"); */
class weft_region {
 public:
  explicit weft_region(const char* name) : name_(name) { weft_region_begin(name_); }
  ~weft_region() { weft_region_end(name_); }
  weft_region(const weft_region&) = delete;
  weft_region& operator=(const weft_region&) = delete;

 private:
  const char* name_;
};
#endif

#endif
