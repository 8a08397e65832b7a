// SPDX-License-Identifier: BSD-3-Clause
// libweft_advise.so, the preloaded library. It exports MPI's functions as jumps through slots, and needs no MPI
// library: when the program first calls one of them, the loader finds the process's MPI library, however it was loaded,
// opens the library for its ABI in the same folder, and fills the slots. It is loaded into every process of a job, so
// it uses no C++ library.
#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "advise/opening.hpp"

namespace weft::advise {
namespace {

#if defined(__x86_64__)
constexpr unsigned jump_slot = R_X86_64_JUMP_SLOT, global_data = R_X86_64_GLOB_DAT;
#else
constexpr unsigned jump_slot = R_AARCH64_JUMP_SLOT, global_data = R_AARCH64_GLOB_DAT;
#endif

struct Wanted {
  const char* const* names;
  void* const* functions;
  void* const* hooks;
  unsigned count;

  void* hook_of(const char* name) const {
    if ((name[0] | 0x20) != 'm' || (name[1] | 0x20) != 'p' || (name[2] | 0x20) != 'i' || name[3] != '_') return nullptr;
    for (unsigned i = 0; i < count; ++i)
      if (hooks[i] != nullptr && functions[i] != nullptr && strcmp(names[i], name) == 0) return hooks[i];
    return nullptr;
  }
};

struct Module {
  uintptr_t base = 0, read_only_start = 0, read_only_end = 0;
  const ElfW(Sym) * symbols = nullptr;
  const char* text = nullptr;
  const ElfW(Rela) * jumps = nullptr, *data = nullptr;
  size_t jump_bytes = 0, data_bytes = 0;
};

// Makes pages that the system's loader has made read-only (RELRO) writable, and read-only again.
void write_to(const Module& module, void** at, void* value) {
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const auto address = reinterpret_cast<uintptr_t>(at);
  const bool closed = address >= module.read_only_start && address < module.read_only_end;
  void* start = reinterpret_cast<void*>(address & ~(page - 1));
  if (closed && mprotect(start, page, PROT_READ | PROT_WRITE) != 0) return;
  __atomic_store_n(at, value, __ATOMIC_RELEASE);
  if (closed) mprotect(start, page, PROT_READ);
}

void redirect_in(const Module& module, const ElfW(Rela) * first, size_t bytes, const Wanted& wanted) {
  for (size_t i = 0; i < bytes / sizeof *first; ++i) {
    const auto& entry = first[i];
    const auto type = ELF64_R_TYPE(entry.r_info);
    if (type != jump_slot && type != global_data) continue;
    const char* name = module.text + module.symbols[ELF64_R_SYM(entry.r_info)].st_name;
    if (void* hook = wanted.hook_of(name))
      write_to(module, reinterpret_cast<void**>(module.base + entry.r_offset), hook);
  }
}

bool is_of_mpi(const char* path) {
  const char* slash = strrchr(path, '/');
  const char* file = slash == nullptr ? path : slash + 1;
  return strncmp(file, "libmpi", 6) == 0 || strncmp(file, "libweft_advise", 14) == 0;
}

int visit(dl_phdr_info* info, size_t, void* data) {
  if (is_of_mpi(info->dlpi_name)) return 0;  // calls between MPI's own libraries are not calls of the program
  Module module;
  module.base = info->dlpi_addr;
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type == PT_DYNAMIC) dynamic = reinterpret_cast<const ElfW(Dyn)*>(module.base + part.p_vaddr);
    if (part.p_type != PT_GNU_RELRO) continue;
    module.read_only_start = module.base + part.p_vaddr;
    module.read_only_end = module.read_only_start + part.p_memsz;
  }
  for (; dynamic != nullptr && dynamic->d_tag != DT_NULL; ++dynamic) {
    const auto value = static_cast<uintptr_t>(dynamic->d_un.d_ptr);
    switch (dynamic->d_tag) {
      case DT_SYMTAB: module.symbols = reinterpret_cast<const ElfW(Sym)*>(value); break;
      case DT_STRTAB: module.text = reinterpret_cast<const char*>(value); break;
      case DT_JMPREL: module.jumps = reinterpret_cast<const ElfW(Rela)*>(value); break;
      case DT_PLTRELSZ: module.jump_bytes = value; break;
      case DT_RELA: module.data = reinterpret_cast<const ElfW(Rela)*>(value); break;
      case DT_RELASZ: module.data_bytes = value; break;
      default: break;
    }
  }
  // In the kernel's vdso these values are not addresses.
  if (module.symbols == nullptr || module.text == nullptr || reinterpret_cast<uintptr_t>(module.text) < module.base)
    return 0;
  const auto& wanted = *static_cast<const Wanted*>(data);
  if (module.jumps != nullptr) redirect_in(module, module.jumps, module.jump_bytes, wanted);
  if (module.data != nullptr) redirect_in(module, module.data, module.data_bytes, wanted);
  return 0;
}

}  // namespace

// Redirects calls of these functions in all loaded libraries from `functions` to `hooks` (if both exist), by writing
// to the libraries' address tables (GOT). For names that must not be exported, since programs look them up to find out
// what their MPI library supports (mpi4py does). Libraries that are loaded later are not changed.
void redirect(const char* const* names, void* const* functions, void* const* hooks, unsigned count) {
  Wanted wanted = {names, functions, hooks, count};
  dl_iterate_phdr(visit, &wanted);
}

}  // namespace weft::advise

using Dlsym = void* (*)(void*, const char*);
extern "C" {
Dlsym weft_real_dlsym = nullptr;
Dlsym weft_find_dlsym();
void* weft_dlsym(void* handle, const char* name);
}

namespace {

// The system's dlsym: the one in dlsym_x86_64.S is for the program.
void* look_up(void* handle, const char* name) {
  return (weft_real_dlsym != nullptr ? weft_real_dlsym : weft_find_dlsym())(handle, name);
}

const char* const names[] = {
#include "advise/slots.inc"
};
constexpr unsigned slots = sizeof names / sizeof names[0];
// The first names are exported; for the others see redirect().
constexpr unsigned early =
#include "advise/early_slots.inc"
    ;

constexpr int most_libraries = 16, longest = 4096;

struct Library {
  char path[longest];
  void* handle;
};

Library found[most_libraries];  // loaded libraries whose names start with libmpi
int found_count = 0;
void* mpi = nullptr;  // the MPI library itself
const char* abi = nullptr;
void* next_functions[slots];
void* hooks[slots];
char folder[longest] = ".";
pthread_once_t once = PTHREAD_ONCE_INIT;

const char* file_of(const char* path) {
  const char* slash = strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

bool starts(const char* text, const char* with) { return strncmp(text, with, strlen(with)) == 0; }

int note(dl_phdr_info* info, size_t, void*) {
  if (!starts(file_of(info->dlpi_name), "libmpi") || found_count == most_libraries) return 0;
  snprintf(found[found_count++].path, longest, "%s", info->dlpi_name);
  return 0;
}

// For libraries that were opened with RTLD_LOCAL, as Python and Julia do.
void* of_library(const char* name) {
  void* result = mpi == nullptr ? nullptr : look_up(mpi, name);
  for (int i = 0; i < found_count && result == nullptr; ++i)
    if (found[i].handle != nullptr) result = look_up(found[i].handle, name);
  return result;
}

// A function or variable of the MPI library. The program may hold a copy of a variable, which is found first.
void* symbol(const char* name) {
  void* result = look_up(RTLD_DEFAULT, name);
  return result != nullptr ? result : of_library(name);
}

// Prints one line per job, if the launcher's variables show the rank.
void say(const char* reason, const char* more = "") {
  static const char* const ranks[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"};
  for (const char* name : ranks)
    if (const char* rank = getenv(name); rank != nullptr && strcmp(rank, "0") != 0) return;
  fprintf(stderr, "weft advise: The program is not recorded (%s%s).\n", reason, more);
}

void find_mpi() {
  dl_iterate_phdr(note, nullptr);
  for (int i = 0; i < found_count; ++i) {
    auto& library = found[i];
    library.handle = dlopen(library.path, RTLD_LAZY | RTLD_NOLOAD);
    if (library.handle == nullptr) continue;
    void* init = look_up(library.handle, "PMPI_Init");
    Dl_info info;
    // Other libraries (libmpi_mpifh, libmpi_cxx) only depend on it.
    if (init == nullptr || dladdr(init, &info) == 0 || strcmp(info.dli_fname, library.path) != 0 || mpi != nullptr)
      continue;
    mpi = library.handle;
    // The name after links (libmpi.so) are followed.
    char real[PATH_MAX];
    const char* file = file_of(realpath(library.path, real) != nullptr ? real : library.path);
    abi = starts(file, "libmpi_abi.so")                    ? "abi"
          : strstr(file, ".so.12") != nullptr              ? "mpich"
          : strstr(file, ".so.40") != nullptr              ? "openmpi"
          : look_up(mpi, "ompi_mpi_comm_world") != nullptr ? "openmpi"
                                                           : nullptr;
  }
}

void (*region)(const char* name, int enters) = nullptr;

void open_library() {
  const char* on = getenv("WEFT_ADVISE");
  if (on != nullptr && strcmp(on, "off") == 0) return;
  if (mpi == nullptr) return say("it has loaded no MPI library");
  if (abi == nullptr) return say("its MPI library has neither Open MPI's ABI, nor MPICH's, nor the standard one");
  Dl_info own;
  char path[longest];
  if (dladdr(reinterpret_cast<void*>(&open_library), &own) == 0) return;
  const auto length = static_cast<int>(file_of(own.dli_fname) - own.dli_fname);
  snprintf(path, sizeof path, "%.*slibweft_advise_%s.so", length, own.dli_fname, abi);
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return say(dlerror());
  const auto open = reinterpret_cast<weft::advise::Open>(look_up(library, "weft_advise_open"));
  const weft::advise::Opening opening = {weft::advise::opening_version, slots, next_functions, hooks, folder, symbol};
  const char* wrong = open == nullptr ? " is not a library of weft advise" : open(&opening);
  if (wrong == nullptr) {
    region = reinterpret_cast<void (*)(const char*, int)>(look_up(library, "weft_advise_region"));
    return;
  }
  memset(hooks, 0, sizeof hooks);
  say(path, wrong);
}

}  // namespace

extern "C" {
extern void* weft_slots[early];
void* weft_resolve(unsigned number);
}

namespace {

void resolve_all() {
  find_mpi();
  for (unsigned i = 0; i < slots; ++i) {
    // First the next one in the search order: it may belong to another tool, which then calls the MPI library.
    next_functions[i] = look_up(RTLD_NEXT, names[i]);
    if (next_functions[i] == nullptr) next_functions[i] = of_library(names[i]);
  }
  open_library();
  for (unsigned i = 0; i < early; ++i) {
    void* to = hooks[i] != nullptr && next_functions[i] != nullptr ? hooks[i] : next_functions[i];
    if (to != nullptr) weft_slots[i] = to;
  }
  weft::advise::redirect(names + early, next_functions + early, hooks + early, slots - early);
}

// Stands for a function that no library has; returns an error code.
int missing() { return 16; }

__attribute__((constructor)) void remember_folder() {
  if (getcwd(folder, sizeof folder) == nullptr) strcpy(folder, ".");
  Dl_info here;
  if (dladdr(reinterpret_cast<void*>(&remember_folder), &here) != 0 && here.dli_fname[0] == '/')
    setenv("NVTX_INJECTION64_PATH", here.dli_fname, 0);  // not if another tool wants NVTX's ranges (nvtx.cpp)
}

}  // namespace

extern "C" {
// The function of weft_region.h.
void weft_mark_region(const char* name, int enters) {
  pthread_once(&once, resolve_all);
  if (region != nullptr) region(name, enters);
}

// The markers of Caliper and likwid, which are passed on: they are there if the program calls them.
void cali_begin_region(const char* name) {
  weft_mark_region(name, 1);
  if (auto next = reinterpret_cast<void (*)(const char*)>(look_up(RTLD_NEXT, "cali_begin_region"))) next(name);
}
void cali_end_region(const char* name) {
  weft_mark_region(name, 0);
  if (auto next = reinterpret_cast<void (*)(const char*)>(look_up(RTLD_NEXT, "cali_end_region"))) next(name);
}
int likwid_markerStartRegion(const char* name) {
  weft_mark_region(name, 1);
  auto next = reinterpret_cast<int (*)(const char*)>(look_up(RTLD_NEXT, "likwid_markerStartRegion"));
  return next != nullptr ? next(name) : 0;
}
int likwid_markerStopRegion(const char* name) {
  weft_mark_region(name, 0);
  auto next = reinterpret_cast<int (*)(const char*)>(look_up(RTLD_NEXT, "likwid_markerStopRegion"));
  return next != nullptr ? next(name) : 0;
}
}

Dlsym weft_find_dlsym() {
  static const char* const versions[] = {"GLIBC_2.34", "GLIBC_2.2.5", "GLIBC_2.17"};
  for (const char* version : versions)
    if (weft_real_dlsym == nullptr) weft_real_dlsym = reinterpret_cast<Dlsym>(dlvsym(RTLD_NEXT, "dlsym", version));
  return weft_real_dlsym;
}

// dlsym for the program: returns the hook of an MPI function that the program looks up in its MPI library. Not if
// another tool is loaded between this library and MPI: its own look-ups would find the hooks.
void* weft_dlsym(void* handle, const char* name) {
  void* found = look_up(handle, name);
  Dl_info of_found, of_next;
  if (found == nullptr || dladdr(found, &of_found) == 0 || !starts(file_of(of_found.dli_fname), "libmpi")) return found;
  void* next = look_up(RTLD_NEXT, "MPI_Init");
  if (next != nullptr && (dladdr(next, &of_next) == 0 || !starts(file_of(of_next.dli_fname), "libmpi"))) return found;
  for (unsigned i = 0; i < slots; ++i) {
    if (strcmp(names[i], name) != 0) continue;
    if (i < early) {
      Dl_info own;
      void* self = dladdr(reinterpret_cast<void*>(&weft_resolve), &own) != 0
                       ? dlopen(own.dli_fname, RTLD_LAZY | RTLD_NOLOAD)
                       : nullptr;
      void* shown = self == nullptr ? nullptr : look_up(self, name);
      return shown != nullptr ? shown : found;
    }
    pthread_once(&once, resolve_all);
    return hooks[i] != nullptr && next_functions[i] != nullptr ? hooks[i] : found;
  }
  return found;
}

// The initial target of all slots.
void* weft_resolve(unsigned number) {
  pthread_once(&once, resolve_all);
  if (next_functions[number] != nullptr) return weft_slots[number];
  fprintf(stderr, "weft advise: The program calls %s, but its MPI library has no such function.\n", names[number]);
  return reinterpret_cast<void*>(&missing);
}
