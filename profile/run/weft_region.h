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
 * attributes; elsewhere the calls do nothing. C89, C++98 and later. */
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
typedef void (*weft_region_function)(const char*, int);

#if defined(__PIC__) || defined(__PIE__)
static __inline__ weft_region_function weft_region_find(void) { return weft_mark_region; }
#else
/* The linker would make the weak symbol zero for good. (Before glibc 2.34 link with -ldl.) */
#include <dlfcn.h>
#include <stddef.h>
static __inline__ weft_region_function weft_region_find(void) {
  /* Its own address: not looked up yet. One variable, so that no thread sees half of an answer. */
  static void* known = &known;
  union {
    void* data;
    weft_region_function function;
  } found;
  found.data = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (found.data == &known) {
    found.data = dlsym(NULL, "weft_mark_region");
    __atomic_store_n(&known, found.data, __ATOMIC_RELAXED);
  }
  return found.function;
}
#endif
static __inline__ void weft_region_tell(const char* name, int enters) {
  const weft_region_function mark = weft_region_find();
  if (mark) mark(name, enters);
}
static __inline__ void weft_region_begin(const char* name) { weft_region_tell(name, 1); }
static __inline__ void weft_region_end(const char* name) { weft_region_tell(name, 0); }
#else
#define weft_region_find() 0
#define weft_region_begin(name) ((void)(name))
#define weft_region_end(name) ((void)(name))
#endif

#ifdef __cplusplus
#include <string>
/* A region from here to the end of the block: weft_region_scope in_halo("halo"); The name may be a temporary. */
class weft_region_scope {
 public:
  explicit weft_region_scope(const char* name) : name_(weft_region_find() && name ? name : "") {
    weft_region_begin(name_.c_str());
  }
  ~weft_region_scope() { weft_region_end(name_.c_str()); }

 private:
  weft_region_scope(const weft_region_scope&); /* not to be copied */
  weft_region_scope& operator=(const weft_region_scope&);

  std::string name_; /* empty without `weft run` */
};
#endif

#endif
